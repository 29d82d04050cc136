use growler_exec::{Engine, EngineOptions, Request, View};
use growler_segment::FooterCache;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let threads: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let engine = Engine::new(EngineOptions { threads, ..Default::default() }).unwrap();
    engine.register(View::open("t", &path, None, &FooterCache::default()).unwrap());
    for sql in std::env::args().skip(3) {
        let mut best = f64::MAX;
        let mut out = None;
        for _ in 0..5 {
            let s = std::time::Instant::now();
            out = Some(engine.query(&sql, &Request::default()));
            best = best.min(s.elapsed().as_secs_f64());
        }
        let o = out.unwrap();
        let mut t = Vec::new();
        if let Some(r) = &o.response.result_table { if r.row_count < 3 { r.write_json_rows(&mut t).unwrap(); } }
        println!("{:8.2} ms  {}  {} {:?}", best * 1e3, sql, String::from_utf8_lossy(&t), o.error);
    }
}

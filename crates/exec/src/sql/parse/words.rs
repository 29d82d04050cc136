//! Words that are not names unless quoted.

use sqlparser::keywords::Keyword;

/// Tells whether a word cannot be a column.
pub(super) fn is_reserved(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::ALL
            | K::AND
            | K::AS
            | K::BETWEEN
            | K::BY
            | K::CASE
            | K::CROSS
            | K::DISTINCT
            | K::ELSE
            | K::EXCEPT
            | K::FROM
            | K::GROUP
            | K::HAVING
            | K::IN
            | K::INNER
            | K::INTERSECT
            | K::IS
            | K::JOIN
            | K::LIKE
            | K::LIMIT
            | K::NATURAL
            | K::NOT
            | K::ON
            | K::OR
            | K::ORDER
            | K::SELECT
            | K::THEN
            | K::UNION
            | K::USING
            | K::WHEN
            | K::WHERE
            | K::WITH
    )
}

/// Tells whether a word ends an expression: it cannot be an alias without `AS`.
pub(super) fn ends_expression(keyword: Keyword) -> bool {
    use Keyword as K;
    is_reserved(keyword)
        || matches!(
            keyword,
            K::ASC
                | K::DESC
                | K::END
                | K::ESCAPE
                | K::FETCH
                | K::FILTER
                | K::FOR
                | K::FULL
                | K::LEFT
                | K::NULLS
                | K::OFFSET
                | K::OPTION
                | K::OVER
                | K::QUALIFY
                | K::RIGHT
                | K::WINDOW
        )
}

(sigil) @keyword
(repeat) @keyword
(name) @function
(fingerprint) @constant
(key) @property
(number) @number
(literal) @constant.builtin
(skip) @constant.builtin
[(word) (quoted_string) (counted_string) (fenced_string)] @string
(atom) @string.special
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" "="] @punctuation.delimiter

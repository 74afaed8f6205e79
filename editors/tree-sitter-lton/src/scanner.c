// What a regular expression cannot read: texts with their length before them, and fences.

#include <stdbool.h>
#include <stdint.h>
#include <tree_sitter/parser.h>

enum { COUNTED_STRING, FENCED_STRING, ATOM };

// Lengths have at most 15 digits (R-1103).
enum { MAX_COUNT_DIGITS = 15, LEAST_FENCE = 3 };

static bool is_digit(int32_t character) { return character >= '0' && character <= '9'; }

static bool ends_value(TSLexer *lexer) {
  switch (lexer->lookahead) {
  case ' ':
  case ',':
  case ';':
  case ')':
  case ']':
  case '}':
  case '\n':
    return true;
  default:
    return lexer->eof(lexer);
  }
}

// Reads digits, a colon and so many characters; `lexer` is after the letter.
static bool scan_counted(TSLexer *lexer) {
  uint64_t length = 0;
  unsigned digits = 0;
  while (is_digit(lexer->lookahead) && digits < MAX_COUNT_DIGITS) {
    length = 10 * length + (uint64_t)(lexer->lookahead - '0');
    digits++;
    lexer->advance(lexer, false);
  }
  if (digits == 0 || lexer->lookahead != ':') return false;
  lexer->advance(lexer, false);
  for (; length > 0; length--) {
    if (lexer->eof(lexer)) return false;
    lexer->advance(lexer, false);
  }
  return ends_value(lexer);
}

static unsigned scan_backticks(TSLexer *lexer, unsigned most) {
  unsigned count = 0;
  while (lexer->lookahead == '`' && count < most) {
    count++;
    lexer->advance(lexer, false);
  }
  return count;
}

// Tells whether a fence in the parentheses of a call may end before this character.
static bool ends_fence(int32_t character) {
  switch (character) {
  case ',':
  case ';':
  case ')':
  case ']':
  case '}':
  case '=':
    return true;
  default:
    return false;
  }
}

// Reads a fence, a text, and the last fence. The scanner does not see whether it is in the
// parentheses of a call. So it takes the first run that can close a fence there, as models write it,
// and the first run of all if there is none.
static bool scan_fenced(TSLexer *lexer) {
  unsigned fence = scan_backticks(lexer, UINT32_MAX);
  if (fence < LEAST_FENCE) return false;
  if (lexer->lookahead == '+') lexer->advance(lexer, false);
  if (lexer->lookahead != '\n') return false;
  bool has_run = false;
  while (!lexer->eof(lexer)) {
    lexer->advance(lexer, false);
    if (scan_backticks(lexer, fence) < fence) continue;
    if (!has_run) lexer->mark_end(lexer);
    has_run = true;
    scan_backticks(lexer, UINT32_MAX);
    if (ends_fence(lexer->lookahead)) {
      lexer->mark_end(lexer);
      return true;
    }
  }
  return has_run;
}

void *tree_sitter_lton_external_scanner_create(void) { return 0; }
void tree_sitter_lton_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_lton_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_lton_external_scanner_deserialize(void *payload, const char *buffer,
                                                   unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_lton_external_scanner_scan(void *payload, TSLexer *lexer,
                                            const bool *valid_symbols) {
  (void)payload;
  int32_t first = lexer->lookahead;
  if (first == '`') {
    lexer->result_symbol = FENCED_STRING;
    return valid_symbols[FENCED_STRING] && scan_fenced(lexer);
  }
  if (valid_symbols[COUNTED_STRING] && first == 's') {
    lexer->result_symbol = COUNTED_STRING;
    lexer->advance(lexer, false);
    return scan_counted(lexer);
  }
  if (!valid_symbols[ATOM]) return false;
  lexer->result_symbol = ATOM;
  switch (first) {
  case 'n':
    lexer->advance(lexer, false);
    return ends_value(lexer);
  case 's':
  case 'u':
  case 'i':
  case 'f':
  case 'b':
  case 'e':
    lexer->advance(lexer, false);
    return scan_counted(lexer);
  default:
    return false;
  }
}

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEmailAddress } from './email-address.ts';
import { Problem } from './problem.ts';

function reasonAgainst(text: string): unknown {
  const result = readEmailAddress(text);
  return result instanceof Problem ? result.ctx?.['reason'] : `accepted as ${result}`;
}

describe('reading e-mail addresses', () => {
  it.each([
    ['ann@acme.com', 'ann@acme.com'],
    [' ann.b+c@sub.acme.co.uk\n', 'ann.b+c@sub.acme.co.uk'],
    ['Ann@ACME.com', 'Ann@acme.com'],
    ['INFO@acme.com', 'info@acme.com'],
    ['Ann Lee <ann@acme.com>', 'ann@acme.com'],
    ['"Lee, Ann" <ann@acme.com>', 'ann@acme.com'],
    ['ann@münchen.de', 'ann@münchen.de'],
    ['ann@xn--mnchen-3ya.de', 'ann@münchen.de'],
    ['ann@faß.de', 'ann@faß.de'],
    ['ann@acme。com', 'ann@acme.com'],
    ['用户@例子.广告', '用户@例子.广告'],
    ['an\u0301n@acme.com', 'ańn@acme.com'],
    ['😀@acme.com', '😀@acme.com'],
  ])('%s is %s', (text, expected) => {
    expect(readEmailAddress(text)).toBe(expected);
  });

  it.each([
    ['ann', 'An email address must have an @-sign.'],
    ['ann＠acme.com', 'The email address has the "full-width" at-sign (@) character instead of a regular at-sign.'],
    ['@acme.com', 'There must be something before the @-sign.'],
    ['ann@', 'There must be something after the @-sign.'],
    ['.ann@acme.com', 'An email address cannot start with a period.'],
    ['a..b@acme.com', 'An email address cannot have two periods in a row.'],
    ['a[b]@acme.com', "The email address contains invalid characters before the @-sign: '[', ']'."],
    ['an\u0007n@acme.com', 'The email address contains invalid characters before the @-sign: U+0007.'],
    ['an\u200bn@acme.com', 'The email address contains unsafe characters: ZERO WIDTH SPACE.'],
    ['\u0301ann@acme.com', 'The email address contains unsafe characters: COMBINING ACUTE ACCENT.'],
    ['mar\u212a@acme.com', "The email address contains unsafe characters: '\u212a'."],
    ['mark\u1fef@acme.com', "The email address contains unsafe characters: '\u1fef'."],
    ['"a"b@acme.com', "Extra character(s) found after close quote: 'b'"],
    ['"a b"@acme.com', 'Quoting the part before the @-sign is not allowed here.'],
    ['Ann, Lee <ann@acme.com>', "The display name contains invalid characters when not quoted: ','."],
    ['ann@ac me.com', 'The part after the @-sign contains invalid characters: SPACE.'],
    ['ann@-acme.com', 'An email address cannot have a hyphen immediately after the @-sign.'],
    [
      'ann@ab--c.com',
      'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.',
    ],
    ['ann@xn--99999999.com', 'The part after the @-sign is not valid IDNA (Invalid A-label).'],
    ['ann@☃.com', "The part after the @-sign is invalid (Codepoint U+2603 at position 1 of '☃' not allowed)."],
    [
      'ann@1אב.com',
      "The part after the @-sign is invalid (First codepoint in label '1אב' must be directionality L, R or AL).",
    ],
    ['ann@a\u200db.com', 'The email address contains unsafe characters: ZERO WIDTH JOINER.'],
    ['ann@acme', 'The part after the @-sign is not valid. It should have a period.'],
    ['ann@1.2.3.4', 'The part after the @-sign is not valid. It is not within a valid top-level domain.'],
    ['ann@x.test', 'The part after the @-sign is a special-use or reserved name that cannot be used with email.'],
    ['ann@[1.2.3.4]', 'A bracketed IP address after the @-sign is not allowed here.'],
    [
      'ann@[IPv6:1:2]',
      "The IPv6 address in brackets after the @-sign is not valid (At least 3 parts expected in '1:2').",
    ],
    [`${'a'.repeat(245)}@acme.com`, 'accepted as ' + `${'a'.repeat(245)}@acme.com`],
    [`${'a'.repeat(246)}@acme.com`, 'The email address is too long (1 character too many).'],
    [
      `ann@${'a'.repeat(64)}.com`,
      'After the @-sign, periods cannot be separated by so many characters (1 character too many).',
    ],
    ['a'.repeat(2049), 'Length must not exceed 2048 characters'],
  ])('%.40s: %s', (text, reason) => {
    expect(reasonAgainst(text)).toBe(reason);
  });

  it('refuses what is no text', () => {
    for (const value of [null, 5, true, [], {}]) expect(readEmailAddress(value)).toMatchObject({ type: 'string_type' });
  });

  it('reads an address it has accepted as itself', () => {
    const unit = fc.constantFrom(
      ...'abX019.-_+@"<>[] '.split(''),
      'é',
      'ß',
      '漢',
      'א',
      '\u0301',
      '\u200d',
      '。',
      '．',
      '＠',
      'xn--',
      '.com',
      '@acme.com',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        const address = readEmailAddress(text);
        if (typeof address === 'string') expect(readEmailAddress(address)).toBe(address);
      }),
      { numRuns: 500 },
    );
  });
});

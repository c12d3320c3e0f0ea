import { describe, expect, it } from '@jest/globals';
import { normalEmail, rejectConfusableEmail, sameEmail } from './email-address.ts';

const kelvin = '\u212a';
const longS = '\u017f';

describe('two e-mail addresses are one', () => {
  it.each([
    ['in any case of the letters A to Z', 'Mark@Acme.COM', 'mark@acme.com'],
    ['with blanks around them', ' mark@acme.com \r\n', 'mark@acme.com'],
    ['with a letter and its accent apart', 'jose\u0301@acme.com', 'josé@acme.com'],
    ['with the domain as people or as DNS write it', 'ann@münchen.de', 'ann@xn--mnchen-3ya.de'],
    ['with an accent of the domain apart, and in capitals', 'ann@MU\u0308NCHEN.de', 'ann@xn--mnchen-3ya.de'],
    ['with an ß in the domain', 'ann@faß.de', 'ann@xn--fa-hia.de'],
    ['with a domain written from right to left', 'ann@מייל.com', 'ann@xn--eebajf.com'],
  ])('%s', (_, one, other) => {
    expect(normalEmail(one)).toBe(normalEmail(other));
    expect(sameEmail(one, other)).toBe(true);
  });

  it.each([
    ['KELVIN SIGN for K', `mar${kelvin}@acme.com`, 'mark@acme.com'],
    ['KELVIN SIGN in the domain', `ann@${kelvin}ite.com`, 'ann@kite.com'],
    ['LONG S for S', `${longS}am@acme.com`, 'sam@acme.com'],
    ['LONG S in the domain', `ann@${longS}un.com`, 'ann@sun.com'],
    ['I WITH DOT ABOVE for I', 'nİna@acme.com', 'nina@acme.com'],
    ['DOTLESS I for I', 'nına@acme.com', 'nina@acme.com'],
    ['full-width letters', 'ｍark@acme.com', 'mark@acme.com'],
    ['full-width letters in the domain', 'mark@ａcme.com', 'mark@acme.com'],
    ['another full stop in the domain', 'mark@acme。com', 'mark@acme.com'],
    ['characters that are not seen in the domain', 'mark@ac\u00ad\u200bme.com', 'mark@acme.com'],
    ['a ligature', 'ﬁn@acme.com', 'fin@acme.com'],
    ['letters of another script', 'mаrk@acme.com', 'mark@acme.com'],
    ['ß for ss', 'strauß@acme.com', 'strauss@acme.com'],
    ['ß for ss in the domain', 'ann@faß.de', 'ann@fass.de'],
    ['other letters than A to Z in capitals', 'JÖRG@acme.com', 'jörg@acme.com'],
    ['no address at all', '', 'mark@acme.com'],
    ['a domain with the parts of a link', 'mark@ü.acme.com/@acme.com', 'mark@acme.com'],
  ])('but not by %s', (_, one, other) => {
    expect(sameEmail(one, other)).toBe(false);
  });
});

describe('an address to be invited', () => {
  it.each([
    'mark@acme.com',
    'Mark+x@acme.com',
    'jörg@münchen.de',
    'JÖRG@acme.com',
    'strauß@faß.de',
    '用户@例子.广告',
    'nına@acme.com',
  ])('may be %s', (email) => expect(() => rejectConfusableEmail(email)).not.toThrow());

  it.each([
    [`mar${kelvin}@acme.com`, 'U+212A'],
    [`${longS}am@acme.com`, 'U+017F'],
    ['nİna@acme.com', 'U+0130'],
    ['ｍaｒk@acme.com', 'U+FF4D, U+FF52'],
    ['ﬁn@acme.com', 'U+FB01'],
    ['mark@acme\u00ad.com', 'U+00AD'],
  ])('is not %s, which looks like another', (email, characters) => {
    const reason = `The email address contains characters that pass for others: ${characters}.`;
    expect(() => rejectConfusableEmail(email)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        violations: [
          {
            type: 'value_error',
            loc: ['body', 'email'],
            msg: `value is not a valid email address: ${reason}`,
            input: email,
            ctx: { reason },
          },
        ],
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { labelToAscii, labelToUnicode, mapDomain } from './international-domain.ts';

describe('international domain names', () => {
  it.each([
    ['münchen', 'xn--mnchen-3ya'],
    ['日本語', 'xn--wgv71a119e'],
    ['faß', 'xn--fa-hia'],
    ['क्\u200dष', 'xn--11b2ezcw70k'],
    ['l·l', 'xn--ll-0ea'],
    ['אבג', 'xn--4dbcd'],
  ])('%s is %s for DNS, and back', (label, ascii) => {
    expect(labelToAscii(label)).toBe(ascii);
    expect(labelToUnicode(ascii)).toBe(label);
  });

  it('maps letters, widths and dots, and composes marks', () => {
    expect(mapDomain('ＡＣＭＥ．com')).toBe('acme.com');
    expect(mapDomain('Bu\u0308CHER｡de')).toBe('bücher.de');
    expect(mapDomain('a\u00adb')).toBe('ab');
    expect(() => mapDomain('a\u0080')).toThrow("Codepoint U+0080 not allowed at position 2 in 'a\\x80'");
  });

  it.each([
    ['a·b', "Codepoint U+00B7 not allowed at position 2 in 'a·b'"],
    ['a\u200db', "Joiner U+200D not allowed at position 2 in 'a\\u200db'"],
    ['é-', 'Label must not start or end with a hyphen'],
    ['\u0301a', 'Label begins with an illegal combining character'],
    ['ا٠۰', "Codepoint U+0660 not allowed at position 2 in 'ا٠۰'"],
    ['א1a', 'Invalid direction for codepoint at position 3 in a right-to-left label'],
    ['aא', 'Invalid direction for codepoint at position 2 in a left-to-right label'],
    ['é'.repeat(60), 'Label too long'],
    ['xn--', 'Malformed A-label, no Punycode eligible content found'],
    ['xn--a-', 'A-label must not end with a hyphen'],
  ])('%s is no label: %s', (label, reason) => {
    expect(() => labelToAscii(label)).toThrow(reason);
  });
});

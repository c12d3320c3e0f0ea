import { describe, expect, it } from '@jest/globals';
import { choiceOf, cronCheck, lengthCheck, nulCheck, patternCheck, readText, webLinkCheck } from './text.ts';

describe('texts in requests', () => {
  it('are texts and nothing else', () => {
    expect(readText('5')).toBe('5');
    for (const value of [5, 1.5, true, null, [], {}, 10n])
      expect(readText(value)).toMatchObject({ type: 'string_type' });
  });

  it('are measured in code points', () => {
    const check = lengthCheck(2, 3);
    expect(['😀😀', '😀😀😀', 'abc'].map(check)).toEqual([undefined, undefined, undefined]);
    expect(check('😀')).toMatchObject({ type: 'string_too_short', msg: 'String should have at least 2 characters' });
    expect(check('😀😀😀😀')).toMatchObject({ type: 'string_too_long', ctx: { max_length: 3 } });
    expect(lengthCheck(1)('')).toMatchObject({ msg: 'String should have at least 1 character' });
    // Half a pair is a character of its own.
    expect(lengthCheck(0, 1)('\ud800\ud800')).toMatchObject({ type: 'string_too_long' });
  });

  it('match a pattern somewhere', () => {
    expect(patternCheck('^[A-Z]{3}$')('EUR')).toBeUndefined();
    expect(patternCheck('^[A-Z]{3}$')('EUR\n')).toMatchObject({ type: 'string_pattern_mismatch' });
  });

  it('hold no NUL character', () => {
    expect(nulCheck('a\0b')).toMatchObject({ type: 'value_error' });
    expect(nulCheck('a\u0001b')).toBeUndefined();
  });
});

describe('web links in requests', () => {
  it.each([
    'https://example.com/logo.png',
    'HTTP://EXAMPLE.COM',
    ' https://example.com',
    '//example.com/logo.png',
    '/logos/a:b.png',
    './a:b',
    'logo.png',
    'the logo: v2',
    '?at=12:30',
    '#a:b',
    'httpé://x',
    '1a:b',
    'TEAM',
    '',
    // A slip of the pen in http or https is no other scheme.
    'htt1ps://example.com',
    'htps://example.com',
    'hhttp://example.com',
  ])('may be %j', (text) => {
    expect(webLinkCheck(text)).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'java\tscr\ript:alert(1)',
    'javascript\n:alert(1)',
    ' javascript:alert(1)',
    '\u0001\u001f javascript:alert(1)',
    '\u00a0\ufeff\u2028javascript:alert(1)',
    'java\u200bscript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    'ftp://example.com/logo.png',
    'mailto:ada@example.com',
    'web+app:x',
    'x:',
    // Whatever runs before the colon is a scheme to a browser.
    'localhost:8080/logo.png',
  ])('may not be %j', (text) => {
    expect(webLinkCheck(text)).toMatchObject({ type: 'url_scheme', msg: "URL scheme should be 'http' or 'https'" });
  });
});

describe('choices in requests', () => {
  it('accept the very text and nothing else', () => {
    const read = choiceOf(['BASIC', 'TEAM']);
    expect(read('TEAM')).toBe('TEAM');
    for (const value of ['team', 'TEAM ', '__proto__', 1, null, ['TEAM']]) {
      expect(read(value)).toMatchObject({ type: 'enum', ctx: { expected: "'BASIC' or 'TEAM'" } });
    }
  });

  it('are listed with commas and one "or"', () => {
    expect(choiceOf(['a', 'b', 'c'])(null)).toMatchObject({ msg: "Input should be 'a', 'b' or 'c'" });
    expect(choiceOf(['a'])(null)).toMatchObject({ msg: "Input should be 'a'" });
  });
});

describe('cron expressions in requests', () => {
  it.each([
    '* * * * *',
    '0 9 * * 1',
    '*/5 0-6,18-23 1,15 JAN-MAR MON-FRI',
    '0  9 * * 1',
    '0 9 * * 5#2',
    '0 9 L * ?',
    '@daily',
  ])('%s has five fields', (text) => {
    expect(cronCheck(text)).toBeUndefined();
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    'every day',
    '@',
    '@daily 9',
    '0 9 * * 5#6',
    '0 9 * * 1;',
    '-1 * * * *',
    `${'1,'.repeat(50_000)} * * * *`,
  ])('%.20s is none', (text) => {
    expect(cronCheck(text)).toMatchObject({ type: 'value_error' });
  });
});

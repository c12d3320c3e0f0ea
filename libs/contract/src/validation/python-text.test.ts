import { describe, expect, it } from '@jest/globals';
import { FloatNumber, type InputValue } from './input-value.ts';
import { pythonRepr } from './python-repr.ts';
import { byCodePoints, codePointLength, pythonFloat, pythonStrip } from './python-text.ts';

describe('speaking Python', () => {
  it.each([
    [1, '1.0'],
    [-0, '-0.0'],
    [0.1, '0.1'],
    [100000, '100000.0'],
    [1e16, '1e+16'],
    [123456789012345680, '1.2345678901234568e+17'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-0.000123, '-0.000123'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
  ])('writes the float %p as %s', (value, text) => {
    expect(pythonFloat(value)).toBe(text);
  });

  it.each<[InputValue, string]>([
    [null, 'None'],
    [true, 'True'],
    ['a', "'a'"],
    ["it's", '"it\'s"'],
    ['\'"', "'\\'\"'"],
    ['\n\t\\\x01\x7f\u200b😀', "'\\n\\t\\\\\\x01\\x7f\\u200b😀'"],
    [12345678901234567890n, '12345678901234567890'],
    [[1, new FloatNumber(1), ['x']], "[1, 1.0, ['x']]"],
    [{ a: { b: null } }, "{'a': {'b': None}}"],
  ])('represents %p as %s', (value, text) => {
    expect(pythonRepr(value)).toBe(text);
  });

  it('strips what Python calls space', () => {
    expect(pythonStrip('\u2003\x1c a \x85\u3000')).toBe('a');
    expect(pythonStrip('\u200ba\ufeff')).toBe('\u200ba\ufeff');
  });

  it('counts and sorts by code points', () => {
    expect(['', 'é', '😀', '\ud83d', '\ude00\ud83d'].map(codePointLength)).toEqual([0, 1, 1, 1, 2]);
    expect(['😀', '\uffee', 'b', 'ab', 'a'].sort(byCodePoints)).toEqual(['a', 'ab', 'b', '\uffee', '😀']);
  });
});

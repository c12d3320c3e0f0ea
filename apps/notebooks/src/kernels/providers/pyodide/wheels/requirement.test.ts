import { describe, expect, it } from '@jest/globals';
import { fits, readRequirement } from './requirement.ts';

describe('what a package requires', () => {
  it('has one name however it is written, and its versions', () => {
    expect(readRequirement('Jupyter_Widgets.Base (>=3.0, <4)')).toEqual({
      name: 'jupyter-widgets-base',
      versions: '>=3.0,<4',
    });
    expect(readRequirement('numpy')).toEqual({ name: 'numpy', versions: '' });
  });

  it('counts where its marker holds for Python in WebAssembly', () => {
    const counts = (marker: string) => readRequirement(`a; ${marker}`) !== undefined;
    expect(counts('python_version < "3.9"')).toBe(false);
    expect(counts('python_version >= "3.11" and sys_platform != "win32"')).toBe(true);
    expect(counts('extra == "test"')).toBe(false);
    expect(counts('sys_platform == "emscripten" or extra == "all"')).toBe(true);
    expect(counts('platform_system in "Linux Emscripten"')).toBe(true);
  });

  it('is no address and no file', () => {
    for (const text of ['a @ https://example.com/a.whl', '-r others.txt', '']) {
      expect(() => readRequirement(text)).toThrow();
    }
  });

  it('fits versions as PEP 440 has them', () => {
    expect(fits('2.4.6', { versions: '>=2,<3' })).toBe(true);
    expect(fits('1.10', { versions: '~=1.9.0' })).toBe(false);
    expect(fits('1.10', { versions: '' })).toBe(true);
  });
});

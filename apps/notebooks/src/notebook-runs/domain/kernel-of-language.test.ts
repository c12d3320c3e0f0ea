import { describe, expect, it } from '@jest/globals';
import { kernelOfLanguage } from './kernel-of-language.ts';

const spec = (name: string, language: string) => ({
  name,
  displayName: name,
  language,
  interruptMode: 'message' as const,
});
const specs = [spec('python3', 'python'), spec('julia-1.10', 'julia'), spec('julia-1.11', 'julia')];

describe('the kernel in which a notebook runs', () => {
  it.each([
    ['', 'python3'],
    ['python', 'python3'],
    ['Julia', 'julia-1.10'],
    ['R', undefined],
  ])('has its language, %j', (language, name) => expect(kernelOfLanguage(language, specs)?.name).toBe(name));

  it('is the one that the notebook names, where there is one of its language', () => {
    const sizes = [...specs, spec('large', 'python')];
    expect(kernelOfLanguage('python', sizes, 'large')?.name).toBe('large');
    expect(kernelOfLanguage('', sizes, 'large')?.name).toBe('large');
    expect(kernelOfLanguage('julia', sizes, 'large')?.name).toBe('julia-1.10');
    expect(kernelOfLanguage('python', sizes, 'conda-env')?.name).toBe('python3');
  });

  it('is the usual one where that does not say its language', () => {
    expect(kernelOfLanguage('julia', [spec('remote', ''), ...specs])?.name).toBe('remote');
    expect(kernelOfLanguage('python', [])).toBeUndefined();
  });
});

import { expect, it } from '@jest/globals';
import { isKernelspecs } from './kernelspecs.ts';

it('takes kernelspecs of several environments and sizes', () => {
  expect(isKernelspecs([{ name: 'python3' }, { name: 'large', display_name: 'Large', memory_mb: 2048 }])).toBe(true);
  expect(
    isKernelspecs([
      { name: 'science', packages: ['scipy>=1'] },
      { name: 'venv', python: '/opt/venv/bin/python' },
    ]),
  ).toBe(true);
});

it('takes none without a name, with the name of another, with what is unknown or too much', () => {
  for (const wrong of [
    ...[[], {}, null, [null], [{}], [{ name: 'A b' }], [{ name: 'a' }, { name: 'a' }], [{ name: 'a', memory: 512 }]],
    ...[[{ name: 'a', memory_mb: 1 }], [{ name: 'a', packages: 'numpy' }], [{ name: 'a', python: '' }]],
    Array.from({ length: 21 }, (_, number) => ({ name: `a${number}` })),
  ]) {
    expect(isKernelspecs(wrong)).toBe(false);
  }
});

import { expect, it } from '@jest/globals';
import { readWheelName } from './wheel-name.ts';

it('takes wheels of pure Python, and those built for this Python in WebAssembly', () => {
  expect(readWheelName('Some_Name-1.0-py2.py3-none-any.whl')).toMatchObject({ name: 'some-name', version: '1.0' });
  expect(readWheelName('numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl')).toMatchObject({ version: '2.4.6' });
  for (const file of [
    'numpy-2.4.6-cp314-cp314-manylinux_2_28_x86_64.whl',
    'numpy-2.4.6-cp313-cp313-pyodide_2025_0_wasm32.whl',
    'numpy-2.4.6.tar.gz',
    '../a-1-py3-none-any.whl',
    'a-1-py2-none-any.whl',
  ]) {
    expect(readWheelName(file)).toBeUndefined();
  }
});

import { describe, expect, it } from '@jest/globals';
import { sharedMemory, signalsOf } from './shared-memory.ts';

const INTERRUPT = 2;

describe('what Pyodide takes signals from', () => {
  it('tells an interrupt, and nothing after it was taken', () => {
    const memory = sharedMemory();
    const signals = signalsOf(memory);
    Atomics.store(memory.interrupt, 0, INTERRUPT);
    expect(signals[0]).toBe(INTERRUPT);
    expect(signals[0]).toBe(INTERRUPT);
    signals[0] = 0;
    expect(signals[0]).toBe(0);
  });

  it('keeps an interrupt that comes between reading and the zero', () => {
    const memory = sharedMemory();
    const signals = signalsOf(memory);
    expect(signals[0]).toBe(0);
    Atomics.store(memory.interrupt, 0, INTERRUPT);
    signals[0] = 0;
    expect(signals[0]).toBe(INTERRUPT);
  });
});

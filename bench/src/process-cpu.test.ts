import { describe, expect, it } from '@jest/globals';
import { cpuOfStatLine } from './process-cpu.ts';

describe('reading a process’s CPU time', () => {
  it('adds user and system time, whatever the process is called', () => {
    const line = '4242 (a ) (name) S 1 4242 4242 0 -1 4194560 2890 0 0 0 150 50 0 0 20 0 11 0 123456 1 1';
    expect(cpuOfStatLine(line, 100)).toBe(2_000_000);
  });
});

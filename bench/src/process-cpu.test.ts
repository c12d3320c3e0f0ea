import { describe, expect, it } from '@jest/globals';
import { readStatLine } from './process-cpu.ts';

describe('reading a process’s CPU time', () => {
  const line = '4242 (a ) (name) S 17 4242 4242 0 -1 4194560 2890 0 0 0 150 50 20 5 20 0 11 0 123456 1 1';

  it('adds user and system time, whatever the process is called', () => {
    expect(readStatLine(line, 100).cpu).toBe(2_000_000);
  });

  it('knows the parent, and what children that have ended used', () => {
    expect(readStatLine(line, 100)).toMatchObject({ parent: 17, endedChildrenCpu: 250_000 });
  });
});

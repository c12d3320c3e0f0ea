import { expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { cpuMsOf } from './cpu-time.ts';

const notLinux = process.platform === 'linux' ? undefined : 'Linux alone tells of the time of others';

describeWhere(notLinux, 'the time of CPU of a process', () => {
  it('grows with what it computes', () => {
    const before = cpuMsOf(process.pid) ?? 0;
    const { user, system } = process.cpuUsage();
    while (process.cpuUsage().user + process.cpuUsage().system < user + system + 100_000);
    expect(cpuMsOf(process.pid)).toBeGreaterThanOrEqual(before + 80);
  });

  it('is nothing of one that is gone, and unknown of one that never was', () => {
    expect(cpuMsOf(2 ** 22 + 1)).toBe(0);
    expect(cpuMsOf(undefined)).toBeUndefined();
  });
});

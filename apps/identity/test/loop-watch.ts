import { cpuMsOf } from '@platform-backend/testing/cost-ratio';

/**
 * Loaded into a process before its own code: answers its parent how fast the machine is just now, and for how long
 * nothing else could have been done since the last time it was asked. Both are milliseconds of this thread's own CPU time, to which
 * nothing is added while others are at work on the machine.
 */
const people = Array.from({ length: 10_000 }, (_, index) => ({ id: `person-${index}`, name: 'Ann', level: 'VIEWER' }));

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

let longestBlock = 0;
let turnedAt = cpuMs();
function turn(): void {
  const now = cpuMs();
  longestBlock = Math.max(longestBlock, now - turnedAt);
  turnedAt = now;
}
/** Each millisecond, or as soon after it as the loop is free. */
setInterval(turn, 1).unref();

process.on('message', (question) => {
  // Writing and reading a fixed document.
  if (question === 'yardstick') process.send?.(cpuMsOf(() => JSON.parse(JSON.stringify(people)) as unknown));
  if (question === 'longest block') {
    turn();
    process.send?.(longestBlock);
    longestBlock = 0;
  }
});
process.channel?.unref();

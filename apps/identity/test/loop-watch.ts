import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/**
 * Loaded into a process before its own code: answers its parent how fast the machine is just now, and for how long
 * nothing else could have been done since the last time it was asked.
 */
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

const people = Array.from({ length: 10_000 }, (_, index) => ({ id: `person-${index}`, name: 'Ann', level: 'VIEWER' }));

/** Milliseconds for writing and reading a fixed document; the best of many, as others may be at work on the machine. */
function yardstick(): number {
  const attempts = Array.from({ length: 20 }, () => {
    const startedAt = performance.now();
    JSON.parse(JSON.stringify(people));
    return performance.now() - startedAt;
  });
  return Math.min(...attempts);
}

process.on('message', (question) => {
  if (question === 'yardstick') process.send?.(yardstick());
  if (question === 'longest block') {
    process.send?.(delay.max / 1e6);
    delay.reset();
  }
});
process.channel?.unref();

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { containersOf, type ComposeProject } from './compose-project.ts';

const LOOK_EVERY_MS = 2_000;

/** What containers log, also of those that are removed since: a file for each, by the name of its service, where `npm start` has its own. */
export interface ContainerLogs {
  /** The lines with this text, each after the name of its file. */
  linesWith(text: string): string[];
  stop(): Promise<void>;
}

export function keepLogs({ name }: ComposeProject, services: readonly string[], home: string): ContainerLogs {
  const folder = join(home, 'logs');
  mkdirSync(folder, { recursive: true });
  const followed = new Map<string, ChildProcess>();
  const closed: Promise<unknown>[] = [];
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    for (const { id, service } of await containersOf(name)) {
      if (followed.has(id) || !services.includes(service)) continue;
      const child = spawn('docker', ['logs', '--follow', id], { stdio: ['ignore', 'pipe', 'ignore'] });
      followed.set(id, child);
      // One that was killed and runs again is followed anew, from its beginning.
      const isOver = once(child, 'close').catch(() => undefined);
      closed.push(isOver.then(() => followed.delete(id)));
      child.stdout.pipe(createWriteStream(join(folder, `${service}-${id.slice(0, 12)}.log`)));
    }
  };
  const looking = (async () => {
    while (!ended.signal.aborted) {
      await look().catch(() => undefined);
      await delay(LOOK_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return {
    linesWith: (text) =>
      readdirSync(folder).flatMap((file) =>
        readFileSync(join(folder, file), 'utf8')
          .split('\n')
          .filter((line) => line.includes(text))
          .map((line) => `${file}: ${line}`),
      ),
    async stop() {
      ended.abort();
      await looking;
      for (const child of [...followed.values()]) child.kill();
      await Promise.all(closed);
    },
  };
}

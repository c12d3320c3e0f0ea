import { whenStarterEnds } from '../ancestry.mjs';
import { failureSentence } from './failure-sentence.ts';
import { startPlatform } from './platform.ts';
import { seconds, terminalProgress } from './progress.ts';
import { restartOnChange } from './restart-on-change.ts';
import { sandboxHere } from './sandbox-here.ts';
import { inspectorAddress, type Inspection } from './service-process.ts';
import type { Settings } from './settings.ts';
import { welcome } from './welcome.ts';

export interface StarterOptions {
  /** @throws Error with one clear sentence. */
  readonly settings: () => Settings;
  readonly env: NodeJS.ProcessEnv;
  /** Restarts services when their source changes. */
  readonly watch: boolean;
  /** The service that runs under the inspector. */
  readonly inspection?: Inspection | undefined;
}

/**
 * The life of `npm start`: brings the platform up, waits for a signal or for the end of whoever started
 * us, and stops everything in order.
 *
 * @returns the exit code: 1, after one clear sentence, if the platform could not start.
 */
export async function runStarter({ settings: readSettings, env, watch, inspection }: StarterOptions): Promise<number> {
  const startedAt = performance.now();
  const progress = terminalProgress();
  const ending = new AbortController();
  // Further signals change nothing: a terminal's Ctrl-C arrives from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  whenStarterEnds(() => ending.abort());

  try {
    const settings = readSettings();
    progress.say(`starting the platform in ${settings.homeAsTyped}`);
    // Asked meanwhile: a sandbox that is tried when Ctrl-C is pressed would be said not to work.
    const [platform, lacks] = await Promise.all([
      startPlatform({ settings, env, progress, inspection, signal: ending.signal }),
      sandboxHere(settings.home, env),
    ]);
    progress.say(`platform ready on ${platform.run.url} in ${seconds(performance.now() - startedAt)}`);
    progress.say(welcome(settings, platform.run));
    for (const line of lacks) progress.say(line);
    if (inspection) progress.say(howToAttach(inspection));
    if (watch) restartOnChange(platform.services, progress, ending.signal);
    await untilAborted(ending.signal);
    progress.say('stopping');
    const stoppingAt = performance.now();
    await platform.stop();
    progress.say(`stopped in ${seconds(performance.now() - stoppingAt)}`);
    return 0;
  } catch (error) {
    if (ending.signal.aborted) return 0;
    console.error(failureSentence(error));
    return 1;
  }
}

const howToAttach = (inspection: Inspection): string =>
  `${inspection.service} runs under the inspector: attach a debugger to ${inspectorAddress(inspection)} ` +
  '(an editor, or chrome://inspect); breakpoints are set in its .ts files\n';

async function untilAborted(signal: AbortSignal): Promise<void> {
  // An AbortSignal keeps no process alive; a timer does.
  const alive = setInterval(() => undefined, 60_000);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(alive);
}

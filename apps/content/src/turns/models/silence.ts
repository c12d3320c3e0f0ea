import type { ModelTool } from '../domain/language-model.ts';

interface SilenceLimits {
  /** Until it says anything at all, then between two words. */
  readonly firstTokenMs: number;
  readonly silenceMs: number;
}

/** Aborts its signal when the model says nothing for too long. A tool may take longer: it has limits of its own. */
export function silenceOf({ firstTokenMs, silenceMs }: SilenceLimits) {
  const silence = new AbortController();
  let [toolsAtWork, hasEnded] = [0, false];
  const wait = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      if (toolsAtWork > 0) timer.refresh();
      else silence.abort(new Error('the model said nothing for too long'));
    }, ms);
  let [timer, hasBegun] = [wait(firstTokenMs), false];
  const isBroken = (): void => {
    if (hasEnded) return;
    if (hasBegun) timer.refresh();
    else {
      clearTimeout(timer);
      [timer, hasBegun] = [wait(silenceMs), true];
    }
  };
  return {
    signal: silence.signal,
    isBroken,
    whileItRuns: (tool: ModelTool): ModelTool => ({
      ...tool,
      run: async (given, signal) => {
        toolsAtWork += 1;
        try {
          return await tool.run(given, signal);
        } finally {
          toolsAtWork -= 1;
          isBroken();
        }
      },
    }),
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}

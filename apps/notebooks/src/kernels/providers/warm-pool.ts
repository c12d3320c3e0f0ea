export interface WarmPool<Process> {
  /** One that is ready, or else that is being started for nobody; undefined: there is none. Another is started in its place. */
  readonly take: () => Promise<Process | undefined>;
  /** Whether one is ready now. */
  readonly isReady: () => boolean;
  /** Starts none any more; those that are ready are the owner's to end. */
  readonly close: () => void;
}

/** After a start that failed the next is tried so much later. */
const pauseMs = 5000;

/** From when on processes are kept ready: from the beginning, or from when the first one is wanted, which then waits for its start. */
export type WarmFrom = 'beginning' | 'first use';

/** Keeps a few processes ready, started one after the other, so that they leave the machine to those who wait. */
export function warmPool<Process extends { readonly ended: Promise<unknown> }>(
  size: number,
  start: () => Promise<Process>,
  from: WarmFrom = 'beginning',
): WarmPool<Process> {
  const ready = new Set<Process>();
  let filling = false;
  /** Who gets the one that is being started. */
  let claim: PromiseWithResolvers<Process | undefined> | undefined;
  let pause: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  async function fill(): Promise<void> {
    while (ready.size < size && !closing.signal.aborted) {
      try {
        const process = await start();
        if (giveToClaim(process)) continue;
        ready.add(process);
        void process.ended.then(() => {
          if (ready.delete(process)) begin();
        });
      } catch {
        pause = setTimeout(begin, pauseMs).unref();
        return;
      }
    }
  }

  function giveToClaim(process: Process | undefined): boolean {
    const claimed = claim;
    claim = undefined;
    claimed?.resolve(process);
    return claimed !== undefined;
  }

  function begin(): void {
    if (closing.signal.aborted || filling) return;
    filling = true;
    void fill().finally(() => {
      filling = false;
      giveToClaim(undefined);
    });
  }

  let isBegun = from === 'beginning';
  if (isBegun) begin();
  return {
    async take() {
      if (!isBegun) begin();
      isBegun = true;
      const [process] = ready;
      if (process) ready.delete(process);
      else if (filling && !claim) {
        claim = Promise.withResolvers();
        return await claim.promise;
      }
      begin();
      return process;
    },
    isReady: () => ready.size > 0,
    close() {
      closing.abort();
      clearTimeout(pause);
    },
  };
}

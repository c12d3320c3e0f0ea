export interface WarmPool<Process> {
  /** One that is ready, if there is; another is started in its place. */
  readonly take: () => Process | undefined;
  /** Starts none any more; those that are ready are the owner's to end. */
  readonly close: () => void;
}

/** After a start that failed the next is tried so much later. */
const pauseMs = 5000;

/** Keeps a few processes ready, started one after the other, so that they leave the machine to those who wait. */
export function warmPool<Process extends { readonly ended: Promise<unknown> }>(
  size: number,
  start: () => Promise<Process>,
): WarmPool<Process> {
  const ready = new Set<Process>();
  let filling = false;
  let pause: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  async function fill(): Promise<void> {
    while (ready.size < size && !closing.signal.aborted) {
      try {
        const process = await start();
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

  function begin(): void {
    if (closing.signal.aborted || filling) return;
    filling = true;
    void fill().finally(() => (filling = false));
  }

  begin();
  return {
    take() {
      const [process] = ready;
      if (process) ready.delete(process);
      begin();
      return process;
    },
    close() {
      closing.abort();
      clearTimeout(pause);
    },
  };
}

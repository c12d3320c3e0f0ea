/** How often the event loop is looked at while there is something to do, in milliseconds. */
const SAMPLE_MS = 100;

/**
 * Tells how many milliseconds late the event loop is, ten times a second while `isBusy`. It wakes no process that has nothing to do.
 */
export function watchEventLoopLag(isBusy: () => boolean, observe: (lagMs: number) => void) {
  let timer: NodeJS.Timeout | undefined;
  let due = 0;

  const arm = (): void => {
    due = performance.now() + SAMPLE_MS;
    timer = setTimeout(sample, SAMPLE_MS).unref();
  };
  function sample(): void {
    timer = undefined;
    observe(performance.now() - due);
    if (isBusy()) arm();
  }

  return {
    /** To be called when there is something to do. */
    wake: (): void => {
      if (timer === undefined) arm();
    },
    stop: (): void => clearTimeout(timer),
  };
}

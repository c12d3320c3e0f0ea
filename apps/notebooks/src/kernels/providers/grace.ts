/** What has had this much longer than its grace is over it, whether it could compute or not. */
const MAX_GRACES = 5;
const LOOKS = 6;

/**
 * Tells once that the grace is over which a kernel has to stop what it runs; answers what calls that off. Where it is known, it is
 * the kernel's own time of CPU that counts: on a machine on which others compute it would lose its memory for being slow.
 */
export function afterGrace(graceMs: number, cpuMs: () => number | undefined, over: () => void): () => void {
  const begunAt = Date.now();
  const before = cpuMs();
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const waited = Date.now() - begunAt;
    const now = before === undefined ? undefined : cpuMs();
    const used = before === undefined || now === undefined ? waited : now - before;
    if (waited >= graceMs && (used >= graceMs || waited >= MAX_GRACES * graceMs)) over();
    else wait();
  };
  const wait = (): void => {
    timer = setTimeout(look, graceMs / LOOKS);
  };
  wait();
  return () => clearTimeout(timer);
}

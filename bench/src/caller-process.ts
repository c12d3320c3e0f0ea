import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A process of its own that works in one variant, and is told in which one by its first message. */
export function startCaller(
  program: string,
  options: { readonly variant: string } & object,
  nodeArguments: readonly string[],
): ChildProcess {
  const child = fork(program, { execArgv: [...nodeArguments] });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`the caller of the variant "${options.variant}" ended with ${String(code)}`);
  });
  child.send(options);
  return child;
}

export async function endCaller(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

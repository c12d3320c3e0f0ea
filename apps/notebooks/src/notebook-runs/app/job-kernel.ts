import { newId } from '@platform-backend/core';
import type { KernelHandle } from '../../kernels/domain/kernel-provider.ts';
import {
  executeRequest,
  inputReply,
  readKernelSignal,
  textOf,
  type KernelSignal,
  type ExecutionInput,
} from '../domain/job-messages.ts';

/** A kernel that one job has to itself. */
export interface JobKernel {
  /**
   * Resolves with the reply, behind all output. The request before has to be done. Rejects with KernelGone when the kernel
   * ends or starts anew meanwhile.
   */
  readonly execute: (wanted: JobExecution) => Promise<ExecuteReply>;
  readonly interrupt: () => Promise<void>;
}

export interface JobExecution extends ExecutionInput {
  /** Told of everything that the kernel says about it; a promise holds the kernel back. */
  readonly hear?: (word: KernelSignal) => void | Promise<void>;
  /** Answers `input()`. */
  readonly answer?: (prompt: string) => Promise<string>;
}

export interface ExecuteReply {
  readonly status: 'ok' | 'error';
  readonly executionCount: number | null;
  /** Of an error: its name and its text. */
  readonly errorName: string;
  readonly errorText: string;
}

/** The kernel of a job has ended, and says why. */
export class KernelGone extends Error {
  override readonly name = 'KernelGone';
}

/** `gone` says why the kernel has ended, whoever ended it. */
export function jobKernel(handle: KernelHandle, gone: Promise<string>): JobKernel {
  const session = newId();
  const end = Promise.withResolvers<never>();
  // It may end while nobody waits.
  end.promise.catch(() => undefined);
  void gone.then((reason) => end.reject(new KernelGone(reason)));

  const exchange = async ({ hear, answer, ...wanted }: JobExecution): Promise<ExecuteReply> => {
    const { id, message } = executeRequest(session, wanted);
    const done = Promise.withResolvers<ExecuteReply>();
    let reply: ExecuteReply | undefined;
    let isIdle = false;
    const take = async (word: KernelSignal): Promise<void> => {
      if (word.type === 'status' && word.content['execution_state'] === 'restarting') {
        end.reject(new KernelGone('It was started anew'));
      }
      if (word.parentId !== id) return;
      if (word.type === 'execute_reply') reply = replyOf(word);
      else if (word.type === 'status') isIdle = word.content['execution_state'] === 'idle';
      else if (word.type === 'input_request') {
        const value = (await answer?.(textOf(word.content['prompt']))) ?? '';
        await handle.send(inputReply(session, value).message);
      } else await hear?.(word);
      // They come by ways of their own, and nothing follows both.
      if (reply && isIdle) done.resolve(reply);
    };
    const stop = handle.listen(async (said) => {
      try {
        await take(readKernelSignal(said));
      } catch (error) {
        done.reject(error);
      }
    });
    try {
      await handle.send(message);
      return await done.promise;
    } finally {
      stop();
    }
  };

  return {
    execute: (wanted) => Promise.race([exchange(wanted), end.promise]),
    interrupt: () => handle.interrupt(),
  };
}

function replyOf({ content }: KernelSignal): ExecuteReply {
  const count = content['execution_count'];
  return {
    status: content['status'] === 'ok' ? 'ok' : 'error',
    executionCount: typeof count === 'number' ? count : null,
    errorName: textOf(content['ename']),
    errorText: textOf(content['evalue']),
  };
}

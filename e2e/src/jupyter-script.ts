import {
  KernelAPI,
  KernelManager,
  ServerConnection,
  SessionManager,
  type Kernel,
  type Session,
} from '@jupyterlab/services';

/** What a run of the script has seen, in words that do not depend on who serves it. */
export type Seen = Readonly<Record<string, unknown>>;

type JupyterServer = { readonly baseUrl: string; readonly token: string };

/**
 * One run of a real Jupyter client against a server: specs, a session, execute, stream, display, error, input, interrupt of
 * a loop, completion, restart, reconnect, shutdown. Whoever serves it, the result has to be the same.
 */
export async function runJupyterScript({ baseUrl, token }: JupyterServer, path: string): Promise<Seen> {
  const serverSettings = ServerConnection.makeSettings({
    baseUrl,
    wsUrl: baseUrl.replace(/^http/, 'ws'),
    token,
    appendToken: true,
  });
  const kernels = new KernelManager({ serverSettings });
  const sessions = new SessionManager({ kernelManager: kernels, serverSettings });
  const seen: Record<string, unknown> = {};
  try {
    const specs = await ServerConnection.makeRequest(`${baseUrl}api/kernelspecs`, {}, serverSettings);
    const { kernelspecs } = (await specs.json()) as { kernelspecs: Record<string, unknown> };
    seen['has python'] = 'python3' in kernelspecs;

    const session = await sessions.startNew({ path, name: path, type: 'notebook', kernel: { name: 'python3' } });
    const kernel = kernelOf(session);
    const { status, language_info: language } = await kernel.info;
    seen['info'] = [status, language.name];

    seen['result'] = await execute(kernel, '6 * 7');
    seen['stream'] = await execute(kernel, 'import sys\nprint("out")\nprint("err", file=sys.stderr)');
    seen['state'] = [await execute(kernel, 'x = 5'), await execute(kernel, 'x + 1')];
    const html = 'class Shown:\n  def _repr_html_(self): return "<b>7</b>"\nShown()';
    seen['display'] = await execute(kernel, html);
    seen['error'] = await execute(kernel, '1 / 0');
    seen['input'] = await execute(kernel, 'print("Hi " + input("Name? "))', { answer: 'Ada' });

    const complete = await kernel.requestComplete({ code: 'impor', cursor_pos: 5 });
    seen['complete'] = complete.content.status;
    const isComplete = await kernel.requestIsComplete({ code: 'for i in range(3):' });
    seen['is complete'] = isComplete.content.status;

    // A kernel says that it is busy before it can be interrupted: it is known to loop when it has printed something.
    const looping = Promise.withResolvers<undefined>();
    const loop = execute(kernel, 'print("on", flush=True)\nwhile True: pass', {
      onOutput: () => looping.resolve(undefined),
    });
    await looping.promise;
    await kernel.interrupt();
    seen['interrupted'] = await loop;
    seen['after the interrupt'] = await execute(kernel, 'x');

    await kernel.restart();
    seen['after the restart'] = await execute(kernel, 'x');
    await kernel.reconnect();
    seen['after a reconnection'] = await execute(kernel, '1 + 1');

    seen['listed'] = (await KernelAPI.listRunning(serverSettings)).some(({ id }) => id === kernel.id);
    await session.shutdown();
    seen['listed afterwards'] = (await KernelAPI.listRunning(serverSettings)).some(({ id }) => id === kernel.id);
    return seen;
  } finally {
    sessions.dispose();
    kernels.dispose();
  }
}

function kernelOf({ kernel }: Session.ISessionConnection): Kernel.IKernelConnection {
  if (!kernel) throw new Error('a session without a kernel');
  return kernel;
}

/** What came of executing code: outputs by kind, joined, and the reply. */
async function execute(
  kernel: Kernel.IKernelConnection,
  code: string,
  { answer, onOutput }: { readonly answer?: string; readonly onOutput?: () => void } = {},
): Promise<unknown> {
  const outputs: Record<string, string> = {};
  const add = (kind: string, text: string): void => void (outputs[kind] = (outputs[kind] ?? '') + text);
  // Else kernels leave out what arrives shortly after an error, and how shortly is their own affair.
  const options = { stop_on_error: false, allow_stdin: answer !== undefined };
  const future = kernel.requestExecute({ code, ...options });
  future.onIOPub = ({ header, content }) => {
    const said = content as Record<string, unknown>;
    if (header.msg_type === 'stream') {
      add(String(said['name']), String(said['text']));
      onOutput?.();
    }
    if (header.msg_type === 'error') add('error', String(said['ename']));
    if (header.msg_type === 'execute_result' || header.msg_type === 'display_data') {
      const data = said['data'] as Record<string, string>;
      add(header.msg_type, data['text/html'] ?? data['text/plain'] ?? '');
    }
  };
  future.onStdin = () => future.sendInputReply({ value: answer ?? '', status: 'ok' }, {} as never);
  const reply = await future.done;
  return { ...outputs, status: reply.content.status };
}

import type { Conversation } from './conversation.ts';

type Headers = Record<string, string>;
type Run = { id: string; status: string };
type Running = { services: { execution_state: string }[] };

const JUPYTER = '/notebooks/services/session/api';

/** A kernel may have to be loaded first. */
const START_LIMIT_MS = 120_000;

/** A notebook and the kernel that it is worked on with, as a Jupyter client asks for them. */
export const walkNotebooks = async ({ chapter, send, until }: Conversation, headers: Headers): Promise<void> => {
  chapter('A notebook, which Jupyter clients see as a file');
  const cell = { cell_type: 'code', id: 'a', source: '6 * 7', metadata: {}, outputs: [], execution_count: null };
  const content = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  const notebook = await send<{ id: string }>({
    method: 'POST',
    path: '/notebooks/',
    headers,
    body: { name: 'Answers', content },
    expect: 200,
  });
  await send({ method: 'GET', path: `${JUPYTER}/contents`, headers, expect: 200 });

  chapter('All of its cells run, in a kernel of their own, with parameters; every step is an event');
  const runs = `/notebooks/${notebook.id}/runs/`;
  const run = await send<Run>({
    method: 'POST',
    path: runs,
    headers: { ...headers, 'Idempotency-Key': notebook.id },
    body: { parameters: { year: 2026 } },
    expect: 200,
  });
  await send({ method: 'GET', path: `${runs}${run.id}/events`, headers, expect: 200 });
  await until<Run>(
    { method: 'GET', path: `${runs}${run.id}`, headers, expect: 200 },
    ({ status }) => status === 'SUCCEEDED',
    START_LIMIT_MS,
  );
  await send({ method: 'GET', path: `${runs}${run.id}/export`, headers, expect: 200 });

  chapter('A kernel for it; its messages go over a WebSocket, to any Jupyter client');
  const kernel = await send<{ id: string }>({
    method: 'POST',
    path: `${JUPYTER}/kernels`,
    headers,
    body: { name: 'python3', path: 'Answers.ipynb' },
    expect: 201,
  });
  await until<Running>(
    { method: 'GET', path: '/notebooks/services/running', headers, expect: 200 },
    ({ services }) => services.some(({ execution_state: state }) => state === 'idle'),
    START_LIMIT_MS,
  );

  chapter('It is interrupted, and ends with its notebook');
  await send({ method: 'POST', path: `${JUPYTER}/kernels/${kernel.id}/interrupt`, headers, expect: 204 });
  await send({ method: 'DELETE', path: `/notebooks/${notebook.id}`, headers, expect: 200 });
  await send({ method: 'GET', path: '/notebooks/services/running', headers, expect: 200 });
};

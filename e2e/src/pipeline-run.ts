import { waitFor } from '@platform-backend/testing';
import { expectOk, type Person } from './people.ts';
import { serverSentEvents } from './server-sent-events.ts';

type Step = { name: string; status: string; message: string };
type Run = { id: string; name: string; status: string; message: string; run_steps: Step[] };
type WatchedRun = { status: string };

/** A run of a new pipeline of these steps, and ways to look at it. */
export async function startRun(owner: Person, steps: readonly object[]) {
  // With a longer name its pods have none that a node of the tests could give a host.
  const body = { name: 'Sales', steps };
  // Programs are checked in a kernel, and the first one of a platform may still be starting.
  const created = await waitFor(
    async () => {
      const answer = await owner.call<{ id: string }>('POST', '/pipelines/', { body });
      return answer.status === 503 ? undefined : answer;
    },
    { what: 'a kernel that checks', interval: 500 },
  );
  const { id } = expectOk(created);
  const runs = `/pipelines/${id}/runs/`;
  const started = expectOk(await owner.call<Run>('POST', runs, { body: {} }));
  const path = `${runs}${started.id}/`;
  const look = async () => expectOk(await owner.call<Run>('GET', path));
  return {
    path,
    name: started.name,
    look,
    /** What is told of it up to its end. */
    watch: async () => serverSentEvents<WatchedRun>((await owner.call('GET', `${path}events/`)).text),
    waitForStep: (is: (step: Step) => boolean) =>
      waitFor(async () => (await look()).run_steps.find(is), { what: 'a step', interval: 200 }),
  };
}

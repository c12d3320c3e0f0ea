import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation, startService, type ServiceProcess } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { assistants, people } from '../../../test/fake-services.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const MINUTE = 60_000;
const TEMPLATES = repetitions({ usual: 12, long: 200 });
/** Of each template. */
const TIMES = 3;
/** How many more turns there are before the next kill. */
const TURNS_BETWEEN_KILLS = Math.min(40, (TEMPLATES * TIMES) / 2);
const REPLICAS = repetitions({ usual: 2, long: 3 });
const KILLS = repetitions({ usual: 1, long: 3 });

describe('replicas, one of which is killed again and again', () => {
  let content: Awaited<ReturnType<typeof assistants>>;
  let identity: Awaited<ReturnType<typeof people>>;
  let service: TestPipelines;
  let replicas: ServiceProcess[] = [];
  const organisations = Array.from({ length: 10 }, newOrganisation);
  beforeAll(async () => {
    [content, identity] = [await assistants(keys), await people(keys)];
    service = await startTestPipelines({
      idle: true,
      environment: { CONTENT_ADDRESS: content.address, IDENTITY_ADDRESS: identity.address },
    });
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await service.stop();
    await content.close();
    await identity.close();
  });

  /** What all organisations have. */
  async function rows<Row extends object>(table: string): Promise<Row[]> {
    const found: Row[] = [];
    for (const organisationId of organisations) {
      const own = (await service.pool.tenant(organisationId, (trx) =>
        trx(table).where({ organisation_id: organisationId }),
      )) as Row[];
      found.push(...own);
    }
    return found;
  }

  it('miss no time that is due, fire none twice, and have each executed once', async () => {
    const settings = { instruction: 'answers', cronSchedule: '* * * * *', scheduleEnabled: true };
    for (let count = 0; count < TEMPLATES; count += 1) {
      const by = member(organisations[count % organisations.length] ?? '', 'EDITOR');
      const name = String(count);
      await service.taskTemplates.createTaskTemplate({ ...settings, name, overlap: 'ALLOW', catchUp: 'ALL' }, by);
    }
    // The last of them is the minute that goes on.
    const start = Math.floor(Date.now() / MINUTE) * MINUTE - (TIMES - 1) * MINUTE;
    const due = Array.from({ length: TIMES }, (_, index) => new Date(start + index * MINUTE));
    for (const organisationId of organisations) {
      await service.pool.tenant(organisationId, async (trx) => {
        await trx('schedules').where({ organisation_id: organisationId }).update({ next_at: due[0], look_at: due[0] });
      });
    }
    const run = () => startService('pipelines', service.env);
    replicas = await Promise.all(Array.from({ length: REPLICAS }, run));
    const isOver = async () => {
      const executions = await rows<{ due_at: Date; finished_at: Date | null }>('task_executions');
      return executions.filter((one) => isDue(one.due_at) && one.finished_at).length >= TEMPLATES * TIMES;
    };
    const isDue = (at: Date) => due.some((time) => time.getTime() === at.getTime());
    let kills = 0;
    for (; kills < KILLS || !(await isOver()); kills += 1) {
      const before = content.turns.size;
      await waitFor(async () => content.turns.size > before + TURNS_BETWEEN_KILLS || (await isOver()), {
        what: 'progress',
        interval: 100,
      });
      await replicas[kills % REPLICAS]?.kill();
      replicas[kills % REPLICAS] = await run();
    }
    // What is asked later is of minutes that have come due meanwhile.
    const asked = [...content.turns.keys()];
    const executions = await rows<{
      task_template_id: string;
      due_at: Date;
      turn_id: string;
      attempts: number;
      status: string;
    }>('task_executions');
    const wanted = executions.filter((one) => isDue(one.due_at));
    expect(wanted).toHaveLength(TEMPLATES * TIMES);
    expect(new Set(wanted.map((one) => `${one.task_template_id} ${one.due_at.toISOString()}`)).size).toBe(
      TEMPLATES * TIMES,
    );
    expect(new Set(wanted.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    // One turn for each: what a dead replica had begun, another one went on with.
    expect(new Set(wanted.map(({ attempts }) => attempts))).toEqual(new Set([1]));
    const turns = new Set(executions.map((one) => one.turn_id));
    expect(asked.filter((turn) => !turns.has(turn))).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  }, 600_000);
});

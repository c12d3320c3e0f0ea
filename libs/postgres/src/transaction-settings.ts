import type { Knex } from 'knex';

const SETTING_NAME = /^app\.[a-z_]+$/;

/** Local to the transaction, so that nothing of one caller is left on a pooled connection for the next. */
export async function applySettings(
  trx: Knex.Transaction,
  settings: Readonly<Record<string, string>>,
  planner: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const name of Object.keys(settings)) {
    if (!SETTING_NAME.test(name)) throw new Error(`"${name}" is not a setting for policies; they are named app.<name>`);
  }
  const entries = Object.entries({ ...settings, ...planner });
  if (entries.length === 0) return;
  const calls = entries.map(() => 'set_config(?, ?, true)').join(', ');
  await trx.raw(`SELECT ${calls}`, entries.flat());
}

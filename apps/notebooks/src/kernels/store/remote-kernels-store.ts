import type { Database } from '@platform-backend/postgres';
import type { RemoteKernels } from '../domain/remote-kernels.ts';

/** They are looked after for all organisations. */
const acrossOrganisations = { 'app.sweep': 'kernels' };

/** Kernels on servers elsewhere, in PostgreSQL, by whose clock leases are written and judged. */
export const remoteKernelsStore = (database: Database): RemoteKernels => ({
  async add(server, id, organisationId, leaseMs) {
    await database.systemStatement(added, [server, id, organisationId, leaseMs / 1000], acrossOrganisations);
  },
  async renew(server, ids, leaseMs) {
    await database.systemStatement(renewed, [server, ids, leaseMs / 1000], acrossOrganisations);
  },
  async left(server, limit) {
    const found = await database.systemStatement<{ id: string }>(overdue, [server, limit], acrossOrganisations);
    return found.map(({ id }) => id);
  },
  async remove(server, id) {
    await database.systemStatement(removed, [server, id], acrossOrganisations);
  },
});

const added = {
  name: 'add-remote-kernel',
  text: `
    INSERT INTO remote_kernels (server, id, organisation_id, lease_until)
    VALUES ($1, $2, $3, now() + make_interval(secs => $4)) ON CONFLICT DO NOTHING`,
};

const renewed = {
  name: 'renew-remote-kernels',
  text: `
    UPDATE remote_kernels SET lease_until = now() + make_interval(secs => $3)
    WHERE server = $1 AND id = ANY ($2::text[])`,
};

const overdue = {
  name: 'remote-kernels-left',
  text: 'SELECT id FROM remote_kernels WHERE server = $1 AND lease_until < now() ORDER BY lease_until LIMIT $2',
};

const removed = { name: 'remove-remote-kernel', text: 'DELETE FROM remote_kernels WHERE server = $1 AND id = $2' };

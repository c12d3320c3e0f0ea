import type { Contract } from './contract.ts';
import type { CredentialKind, PermissionLevel } from './options.ts';

/** Who may call one operation: a row of decision D14's table. */
export interface PermissionRow {
  readonly operation: string;
  /** `POST /client-groups/`; absent for an operation between services. */
  readonly route?: string;
  readonly credentials: readonly CredentialKind[];
  /** The least level; absent: any verified user, member of an organisation or not. */
  readonly level?: PermissionLevel;
  readonly area?: string;
  readonly services: readonly string[];
}

/** One row for every operation there is. */
export function permissionTable(contract: Contract): PermissionRow[] {
  return contract.operations.map(({ id, http, access }) => ({
    operation: id,
    ...(http && { route: `${http.verb} ${http.path}` }),
    ...access,
  }));
}

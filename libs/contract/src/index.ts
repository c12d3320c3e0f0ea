export { loadContract, type Contract } from './contract.ts';
export { descriptorFiles } from './image.ts';
export type { HttpBinding, HttpVerb, Operation } from './operations.ts';
export type { Access, CreditClass, CredentialKind, FieldRules, PermissionLevel } from './options.ts';
export { permissionTable, type PermissionRow } from './permission-table.ts';
export type { RequestCheck } from './checks/request-check.ts';

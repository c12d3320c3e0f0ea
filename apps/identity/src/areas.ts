import { composeAreas } from '@platform-backend/service';
import { apiKeysArea } from './api-keys/area.ts';
import { auditArea } from './audit/area.ts';
import { authenticationArea } from './authentication/area.ts';
import { clientGroupsArea } from './client-groups/area.ts';
import { membersArea } from './members/area.ts';
import { organisationsArea } from './organisations/area.ts';
import { service } from './service.ts';

/** Puts the service together from its areas, each after those that it builds on. */
export const compose = composeAreas(service, (context) => {
  const audit = auditArea(context);
  const members = membersArea(context);
  const clientGroups = clientGroupsArea(context);
  const apiKeys = apiKeysArea(context);
  const organisations = organisationsArea(context, { members: members.exports });
  const authentication = authenticationArea(context, { apiKeys: apiKeys.exports });
  return [audit, members, clientGroups, apiKeys, organisations, authentication];
});

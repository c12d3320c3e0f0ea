/** `usage_days` with the member, or no text for what is nobody's: all of it without what is somebody's. */
export const usageOfMembers = `
      SELECT organisation_id, day, client_group_id, api_key_id, member_id, CAST(0 AS bigint) AS requests,
             ai_credits_micros, infrastructure_credits_micros FROM usage_member_days
      UNION ALL
      SELECT organisation_id, day, client_group_id, api_key_id, '', 0,
             -ai_credits_micros, -infrastructure_credits_micros FROM usage_member_days
      UNION ALL
      SELECT organisation_id, day, client_group_id, api_key_id, '', requests,
             ai_credits_micros, infrastructure_credits_micros FROM usage_days`;

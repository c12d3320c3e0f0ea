/** The channels of organisations, by the ids of these. */
export type SlackChannels = Readonly<Record<string, readonly string[]>>;

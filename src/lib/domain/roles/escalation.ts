// Which permissions deserve a second look before they are given away.

const SENSITIVE_FEATURES = new Set(['user_management', 'api_credentials', 'privacy']);

/**
 * Whether giving this task is an escalation: full access to anything (`…:*`), or any access to user management, API
 * credentials or privacy.
 */
export function isEscalation(taskId: string): boolean {
  const colon = taskId.indexOf(':');
  return taskId.endsWith(':*') || SENSITIVE_FEATURES.has(colon < 0 ? taskId : taskId.slice(0, colon));
}

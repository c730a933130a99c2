import { type Context, institutionOf } from '../context.ts'
import type { Login } from '../state.ts'

export function loginView(login: Login): Record<string, unknown> {
  return {
    Username: 'utilisateur-secret',
    IsScheduledRefresh: login.isScheduled,
    // Without a time zone, as at the source.
    LastRefresh: new Date(login.readAt).toISOString().replace('Z', '123'),
    Type: login.isBusiness ? 'Business' : 'Personal',
    Id: login.id,
  }
}

export function nameOf(context: Context, login: Login): string {
  return institutionOf(context, login.institutionId)?.en ?? 'Unknown'
}

import type { Db } from '../db/database.ts'
import { HAS_SECOND_STEP, USERS_WITH_TWO_STEP } from './users.ts'

/** Sign-in rules of an instance for its members. */
export interface SignInRules {
  requiresTwoStep: boolean
  /** Enabled members who have no second step. */
  membersWithoutTwoStep: number
}

const WITHOUT = `${USERS_WITH_TWO_STEP} where u.instance_id = $1 and u.disabled_at is null and not ${HAS_SECOND_STEP}`

export async function findSignInRules(db: Db, instanceId: string): Promise<SignInRules> {
  const { rows } = await db.query<SignInRules>(
    `select two_step_required_at is not null as "requiresTwoStep", (select count(*)::int ${WITHOUT}) as "membersWithoutTwoStep"
     from instances where id = $1`,
    [instanceId],
  )
  return rows[0] ?? { requiresTwoStep: false, membersWithoutTwoStep: 0 }
}

export async function setTwoStepRequired(db: Db, instanceId: string, isRequired: boolean, at: Date): Promise<void> {
  await db.query('update instances set two_step_required_at = case when $2 then coalesce(two_step_required_at, $3) end where id = $1', [
    instanceId,
    isRequired,
    at,
  ])
}

/** Whether an instance demands a second step that the user does not have. */
export async function lacksTwoStep(db: Db, instanceId: string, userId: string): Promise<boolean> {
  const { rows } = await db.query<{ lacks: boolean }>(
    `select i.two_step_required_at is not null and not ${HAS_SECOND_STEP} as lacks
     ${USERS_WITH_TWO_STEP} join instances i on i.id = u.instance_id where u.instance_id = $1 and u.id = $2`,
    [instanceId, userId],
  )
  return rows[0]?.lacks ?? false
}

/** Locks the rules of an instance until the transaction ends, against a change of them; whether a second step is required. */
export async function lockTwoStepRule(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await db.query<{ isRequired: boolean }>(
    'select two_step_required_at is not null as "isRequired" from instances where id = $1 for no key update',
    [instanceId],
  )
  return rows[0]?.isRequired ?? false
}

/** Enabled members without a second step, oldest first. */
export async function listWithoutTwoStep(db: Db, instanceId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(`select u.id ${WITHOUT} order by u.created_at, u.id limit $2`, [instanceId, limit])
  return rows.map(({ id }) => id)
}

/** Ends the sessions of members without a second step; those of an identity provider stay. */
export async function endSessionsWithoutTwoStep(db: Db, instanceId: string, at: Date): Promise<void> {
  await db.query(
    `update sessions set ended_at = $2, end_reason = 'two-step login required'
     where instance_id = $1 and ended_at is null and user_id in (select u.id ${WITHOUT})
       and not exists (select from provider_sessions p where p.instance_id = sessions.instance_id and p.session_id = sessions.id)`,
    [instanceId, at],
  )
}

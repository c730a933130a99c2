import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import type { FdxState } from '../state.ts'

/** Kinds that are removed with their grant. */
const OF_GRANT = ['AccessToken', 'AuthorizationCode', 'RefreshToken']

/**
 * Storage adapter of oidc-provider in the simulator's state. The clock of oidc-provider cannot be moved, so an entry
 * stored before the simulator's clock was moved is returned with an expiry that is earlier by that amount.
 */
export function createStorageAdapter(state: FdxState, save: () => void): AdapterFactory {
  return (model: string): Adapter => {
    const keyOf = (id: string) => `${model}:${id}`
    const find = async (id: string): Promise<AdapterPayload | undefined> => {
      const kept = state.kept[keyOf(id)]
      if (!kept) return undefined
      const { payload, shiftMs } = kept
      const passedSeconds = Math.floor((state.clockMs - shiftMs) / 1000)
      const { exp, iat } = payload
      return {
        ...payload,
        ...(exp === undefined ? {} : { exp: exp - passedSeconds }),
        ...(iat === undefined ? {} : { iat: iat - passedSeconds }),
      }
    }
    return {
      find,
      async upsert(id, payload) {
        state.kept[keyOf(id)] = { payload, shiftMs: state.clockMs }
        save()
      },
      async findByUid(uid) {
        const [key] = Object.entries(state.kept).find(([name, { payload }]) => name.startsWith(`${model}:`) && payload.uid === uid) ?? []
        return key === undefined ? undefined : await find(key.slice(model.length + 1))
      },
      async findByUserCode() {
        return undefined
      },
      async consume(id) {
        const kept = state.kept[keyOf(id)]
        if (kept) kept.payload.consumed = Math.floor(Date.now() / 1000)
        save()
      },
      async destroy(id) {
        delete state.kept[keyOf(id)]
        save()
      },
      async revokeByGrantId(grantId) {
        forget(state, (payload) => payload.grantId === grantId)
        save()
      },
    }
  }
}

/** Removes all tokens and grants of one owner. */
export function removeSubject(state: FdxState, subject: string): void {
  forget(state, (payload) => payload.accountId === subject)
}

function forget(state: FdxState, isWanted: (payload: AdapterPayload) => boolean): void {
  for (const [key, { payload }] of Object.entries(state.kept)) {
    if (OF_GRANT.some((model) => key.startsWith(`${model}:`)) && isWanted(payload)) delete state.kept[key]
  }
}

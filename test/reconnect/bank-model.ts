import type { Random } from './random.ts'
import type { ListedAccount, ListedMovement, Login } from './relinked-bank.ts'

/** A transaction as the bank itself knows it; `tag` is its permanent identity. */
interface TrueMovement {
  tag: string
  day: number
  amount: string
  description: string
  pending: boolean
}

/** An account as the bank itself knows it; `truth` is its permanent identity and its balance. */
export interface TrueAccount {
  truth: number
  mask: string | null
  kind: string
  currency: string
  name: string
  officialName: string | null
  persistentId: string | null
  isOpen: boolean
  /** Whether it was synced once, so that the deployment may know it. */
  wasRead: boolean
  movements: TrueMovement[]
}

/** Day 1 is 2026-01-01. */
export function toDay(day: number): string {
  return new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10)
}

/** One business at one bank: the actual accounts and transactions, whatever ids an aggregator gives them. */
export class BankModel {
  readonly accounts: TrueAccount[] = []
  readonly #random: Random
  readonly #hasPersistentIds: boolean
  readonly #name: string
  #logins = 0
  #day = 30
  #tags = 0
  /** The current login and its ids. */
  login: Login | null = null
  #names = new Map<number, string>()
  #movementNames = new Map<string, string>()
  #owner = 0

  /** `name` distinguishes its logins from those of other models. */
  constructor(random: Random, name: string) {
    this.#random = random
    this.#name = name
    this.#hasPersistentIds = random.chance(0.3)
    for (let i = 0; i < 1 + random.below(5); i += 1) this.openAccount()
  }

  openAccount(): void {
    const random = this.#random
    const truth = this.accounts.length + 1
    const model = random.chance(0.25) ? this.#findModel() : undefined
    const isTwin = model !== undefined && random.chance(0.3)
    const isNameless = !this.#hasPersistentIds && !model && random.chance(0.05)
    const account: TrueAccount = {
      truth,
      mask: model ? model.mask : isNameless ? null : String(truth).padStart(4, '0'),
      kind: model?.kind ?? random.pick(['checking', 'savings']),
      currency: model?.currency ?? random.pick(['CAD', 'USD']),
      name: isTwin ? model.name : `N${truth}`,
      officialName: isTwin ? model.officialName : random.chance(0.5) ? `Official ${truth}` : null,
      persistentId: this.#hasPersistentIds ? `p${truth}` : null,
      isOpen: true,
      wasRead: false,
      movements: [],
    }
    this.accounts.push(account)
    for (let i = 0; i < 1 + random.below(6); i += 1) this.#move(account, 1 + random.below(this.#day))
    this.#list(account)
  }

  /**
   * One that another may resemble: a closed or hidden account cannot be distinguished from a new one that looks the
   * same.
   */
  #findModel(): TrueAccount | undefined {
    const open = this.accounts.filter((one) => one.isOpen && one.mask !== null && one.wasRead)
    return open.filter((one) => this.lookAlikes(one).every(({ isOpen, truth }) => isOpen && this.#names.has(truth)))[0]
  }

  /** Accounts with the same mask, kind and currency, including the account itself. */
  lookAlikes({ mask, kind, currency }: TrueAccount): TrueAccount[] {
    return this.accounts.filter((one) => one.mask === mask && one.kind === kind && one.currency === currency)
  }

  /** Whether nothing visible distinguishes it from another. */
  hasTwin(account: TrueAccount): boolean {
    const shown = ({ officialName, name }: TrueAccount) => officialName ?? name
    return this.lookAlikes(account).some((one) => one !== account && shown(one) === shown(account))
  }

  /** Whether no look-alike has just been opened. */
  isSettled(account: TrueAccount): boolean {
    return this.lookAlikes(account).every((one) => one.wasRead)
  }

  closeAccount(account: TrueAccount): void {
    account.isOpen = false
    if (this.login) this.login.accounts = this.login.accounts.filter(({ id }) => id !== this.#names.get(account.truth))
    this.#names.delete(account.truth)
  }

  rename(account: TrueAccount): void {
    const revision = this.#random.below(1_000_000)
    if (this.#random.chance(0.5)) account.name = `N${account.truth}.${revision}`
    else account.officialName = `Official ${account.truth}.${revision}`
    const listed = this.login?.accounts.find(({ id }) => id === this.#names.get(account.truth))
    if (listed) Object.assign(listed, this.#show(account, listed.id))
  }

  /** Advances one day: adds transactions, books pending ones. */
  passDay(): void {
    this.#day += 1
    for (const account of this.accounts.filter(({ isOpen }) => isOpen)) {
      for (const pending of account.movements.filter((one) => one.pending)) this.#book(account, pending)
      if (this.#random.chance(0.7)) this.#move(account, this.#day)
    }
  }

  #move(account: TrueAccount, day: number): void {
    this.#tags += 1
    const isRecent = day >= this.#day - 1
    const movement: TrueMovement = {
      tag: `t${this.#tags}`,
      day,
      // Few texts and amounts, so that equal transactions are common.
      amount: `-${1 + this.#random.below(3)}.00`,
      description: this.#random.pick(['COFFEE', 'RENT']),
      // The first transaction of each account is booked, so that every login has one.
      pending: isRecent && account.movements.length > 0 && this.#random.chance(0.3),
    }
    account.movements.push(movement)
    this.#listMovement(account, movement)
  }

  #book(account: TrueAccount, pending: TrueMovement): void {
    account.movements.splice(account.movements.indexOf(pending), 1)
    const name = this.#movementNames.get(pending.tag)
    if (name !== undefined && this.#names.has(account.truth)) this.login?.changes.push({ change: 'removed', id: name })
    this.#tags += 1
    const booked = { ...pending, tag: `t${this.#tags}`, day: this.#day, pending: false }
    account.movements.push(booked)
    this.#listMovement(account, booked)
  }

  /**
   * Creates a new login: all ids are new, the order differs, some of the history is missing, and another owner uses
   * different names.
   */
  relink(shared: readonly TrueAccount[], options: { isOtherOwner: boolean; firstDay: number }): Login {
    this.#logins += 1
    if (options.isOtherOwner) this.#owner += 1
    this.#names = new Map()
    this.#movementNames = new Map()
    this.login = { entity: { id: 'caisse', name: 'Caisse' }, reference: `${this.#name}-${this.#logins}`, accounts: [], changes: [] }
    for (const account of this.#random.shuffle(shared)) {
      this.#list(account)
      const last = account.movements.filter((one) => !one.pending).at(-1)
      const told = account.movements.filter((one) => one === last || one.day >= options.firstDay)
      for (const movement of this.#random.shuffle(told)) this.#listMovement(account, movement)
    }
    return this.login
  }

  reorder(): void {
    if (this.login) this.login.accounts = this.#random.shuffle(this.login.accounts)
  }

  /** What the login lists now, by permanent identity. */
  listed(): Map<number, Set<string>> {
    const tags = new Map<string, Set<string>>()
    for (const one of this.login?.changes ?? []) {
      if (one.change === 'removed') for (const set of tags.values()) set.delete(one.id)
      else
        (tags.get(one.movement.accountId) ?? tags.set(one.movement.accountId, new Set()).get(one.movement.accountId))?.add(one.movement.id)
    }
    const tagOf = new Map([...this.#movementNames].map(([tag, id]) => [id, tag]))
    const isListed = new Set(this.login?.accounts.map(({ id }) => id))
    const names = [...this.#names].filter(([, id]) => isListed.has(id))
    return new Map(names.map(([truth, id]) => [truth, new Set([...(tags.get(id) ?? [])].map((name) => tagOf.get(name) ?? name))]))
  }

  #list(account: TrueAccount): void {
    if (!this.login) return
    const id = `l${this.#logins}-${this.#random.below(1_000_000)}-${account.truth}`
    this.#names.set(account.truth, id)
    this.login.accounts.push(this.#show(account, id))
    if (account.movements.length > 0 && !account.wasRead) for (const movement of account.movements) this.#listMovement(account, movement)
  }

  #show({ truth, mask, kind, currency, name, officialName, persistentId }: TrueAccount, id: string): ListedAccount {
    const shownName = this.#owner === 0 ? name : `${name} (${this.#owner})`
    return { id, persistentId, mask, kind, name: shownName, officialName, currency, balance: `${truth}.00` }
  }

  #listMovement(account: TrueAccount, { tag, day, amount, description, pending }: TrueMovement): void {
    const accountId = this.#names.get(account.truth)
    if (!this.login || accountId === undefined || this.#movementNames.has(tag)) return
    const id = `m${this.#logins}-${this.#random.below(1_000_000)}-${tag}`
    this.#movementNames.set(tag, id)
    const movement: ListedMovement = { id, accountId, day: toDay(day), amount, description, pending, category: tag }
    this.login.changes.push({ change: 'set', movement })
  }
}

import type { Category, Entity } from '../../model/catalogue.ts'
import { type Html, html } from '../../model/texts/html.ts'
import { writeDay } from '../../model/values/dates.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { Consent } from '../../store/connections/consents.ts'
import type { OwnedConnection } from '../../store/owners/owner-connections.ts'
import type { ListedReceipt } from '../../store/owners/receipts.ts'
import { logoPath, monogramPath } from '../branding/logos.ts'
import { dayElement, instantElement } from '../texts/dates.ts'
import { type OwnerVisit, pathTo, type Visitor } from '../visit/visitor.ts'
import { heading, type Page } from './page.ts'
import { type ListPage, renderPager } from './pager.ts'

/** State of an active connection as shown to the owner. */
export type OwnedState = 'waiting' | 'reading' | 'ready' | 'retrying' | 'renewal' | 'paused' | 'suspended' | 'both'

/** `isFiles`: files were uploaded, so there is no source to notify. */
export interface OwnedName {
  name: string
  isFiles: boolean
}

/** What the owner page shows of every connection. */
interface ShownConnection {
  connection: OwnedConnection
  serviceName: string
  /** The bank of a child service, otherwise null. */
  institutionId: string | null
  /** Files are read when uploaded, never by a schedule. */
  isFiles: boolean
}

/** Active connection on the owner page. */
export interface ActiveView extends ShownConnection {
  entities: readonly Entity[]
  state: OwnedState
  accounts: number
  transactions: number
  /** Some accounts: name and last digits. */
  accountNames: readonly string[]
  consent: Consent | null
}

/** Connection on the owner page that has ended. */
export interface EndedView extends ShownConnection {
  receipts: readonly ListedReceipt[]
}

/** Pages of the two lists of the owner page. */
export interface OwnedViews {
  active: readonly ActiveView[]
  ended: readonly EndedView[]
  pages: { active: ListPage; ended: ListPage }
}

export const OWNER_PAGE_PATH = '/connect/yours'

export function ownerPagePath(path: string, connection: Pick<OwnedConnection, 'id'>): string {
  return `${OWNER_PAGE_PATH}/${path}?connection=${connection.id}`
}

/** Owner page: everything a company shares, and the actions on it. `address` is the page's own URL, to be saved. */
export function ownerPage(visitor: Visitor, owner: OwnerVisit, shown: OwnedViews & { address: string; isNewAddress: boolean }): Page {
  const texts = visitor.texts.yours
  const { active, ended, pages, address, isNewAddress } = shown
  const pagerOf = (list: keyof OwnedViews['pages']) =>
    renderPager(visitor, texts.pages[list], pages[list], (page) => `${pagePath({ ...pages, [list]: { ...pages[list], page } })}#${list}`)
  return {
    title: texts.title(owner.business),
    address: pagePath(pages),
    isDated: true,
    body: html`${heading(texts.title(owner.business))}
${isNewAddress && html`<p class="notice" role="status">${texts.addressMade}</p>`}
<p>${active.length > 0 ? texts.intro(owner.requester) : texts.nothing(owner.requester)}</p>
${active.length > 0 && html`<h2 id="active">${texts.active}</h2><ul class="owned">${active.map((view) => renderActive(visitor, owner, view))}</ul>${pagerOf('active')}`}
${ended.length > 0 && html`<h2 id="ended">${texts.ended}</h2><ul class="owned">${ended.map((view) => renderEnded(visitor, view))}</ul>${pagerOf('ended')}`}
<h2>${texts.address}</h2>
<p class="small">${texts.addressText} <a href="${address}">${texts.addressKeep}</a></p>
<p class="small">${texts.addressLost} <a href="${OWNER_PAGE_PATH}/address">${texts.addressNew}</a></p>`,
  }
}

/** Path of the owner page with these pages of its lists. */
function pagePath({ active, ended }: OwnedViews['pages']): string {
  return pathTo(null, OWNER_PAGE_PATH, {
    active: active.page > 1 ? String(active.page) : undefined,
    ended: ended.page > 1 ? String(ended.page) : undefined,
  })
}

function renderActive(visitor: Visitor, owner: OwnerVisit, view: ActiveView): Html {
  const texts = visitor.texts.yours
  const { connection, state } = view
  const { name, text } = texts.states[state]
  const isPaused = state === 'paused' || state === 'both'
  const button = (path: 'renew' | 'pause' | 'continue' | 'withdraw' | 'delete' | 'download', isFirst = false) =>
    html`<a class="${isFirst ? 'button' : 'button quiet'}" href="${ownerPagePath(path, connection)}">${texts[path]} <span class="unseen">${texts.of(safeDisplayName(view.serviceName))}</span></a>`
  return html`<li><div class="owned-head">${renderLogo(view)}<div>
<h3>${safeDisplayName(view.serviceName)}</h3>
${renderEntity(view)}
<p><span class="unseen">${visitor.texts.done.status} </span><span class="state ${state}">${name}</span></p>
</div></div>
<p>${text}</p>
${(state === 'renewal' || isPaused) && html`<p class="actions">${button(isPaused ? 'continue' : 'renew', true)}</p>`}
<dl class="terms">
<div><dt>${texts.sharedWith}</dt><dd>${owner.requester}</dd></div>
<div><dt>${texts.what}</dt><dd>${renderShared(visitor, view)}</dd></div>
${renderPurpose(visitor, owner, view)}
<div><dt>${texts.since}</dt><dd>${dayElement(connection.connectedAt, visitor)}</dd></div>
<div><dt>${texts.until}</dt><dd>${view.consent ? dayElement(view.consent.expiresAt, visitor) : texts.untilWithdrawn}</dd></div>
<div><dt>${texts.lastRead}</dt><dd>${connection.lastReadAt ? instantElement(connection.lastReadAt, visitor) : texts.never}</dd></div>
<div><dt>${texts.nextRead}</dt><dd>${renderNext(visitor, view)}</dd></div>
</dl>
${view.consent && renderConsent(visitor, view.consent)}
<p class="actions">${!isPaused && state !== 'suspended' && state !== 'renewal' && button('pause')}${view.accounts > 0 && button('download')}${button('withdraw')}${button('delete')}</p>
</li>
`
}

function renderEnded(visitor: Visitor, view: EndedView): Html {
  const texts = visitor.texts.yours
  const { connection, receipts } = view
  const on = (at: Date) => writeDay(at, visitor)
  return html`<li><div class="owned-head">${renderLogo(view)}<div><h3>${safeDisplayName(view.serviceName)}</h3>${renderEntity(view)}</div></div>
<p>${connection.endedAt && texts.endedOn(on(connection.endedAt))} ${connection.eraseAt ? texts.lockedUntil(on(connection.eraseAt)) : texts.gone}</p>
<p class="actions">${receipts.map(
    (receipt) =>
      html`<a class="button quiet" href="${OWNER_PAGE_PATH}/receipt?receipt=${receipt.id}">${receipt.kind === 'deletion' ? texts.deletionReceipt : texts.receipt} <span class="unseen">${texts.of(safeDisplayName(view.serviceName))}</span></a>`,
  )}${connection.eraseAt && html`<a class="button quiet" href="${ownerPagePath('download', connection)}">${texts.download}</a><a class="button quiet" href="${ownerPagePath('delete', connection)}">${texts.delete}</a>`}</p>
</li>
`
}

function renderLogo(view: ShownConnection): Html {
  const path = view.institutionId === null ? logoPath(view.connection.connectorKey) : monogramPath(view.serviceName)
  return html`<img src="${path}" alt="" width="44" height="44">`
}

function renderEntity({ connection, serviceName, isFiles }: ShownConnection): Html | null {
  const { entityName } = connection
  return isFiles || entityName === '' || entityName === serviceName ? null : html`<p class="entity">${safeDisplayName(entityName)}</p>`
}

function renderShared(visitor: Visitor, view: ActiveView): Html {
  const texts = visitor.texts.yours
  const { category } = view.connection
  const counted: Record<Entity, string | null> = {
    Accounts: view.accounts > 0 ? texts.accounts(view.accounts) : null,
    Transactions: view.transactions > 0 ? texts.transactions(view.transactions) : null,
  }
  const names = view.accountNames.map(safeDisplayName).join(', ')
  return html`<ul>${view.entities.map((entity) => html`<li>${kindOf(visitor, category, entity)}${counted[entity] !== null && html` (${counted[entity]})`}</li>`)}</ul>
${names !== '' && html`<p class="small">${texts.masked(names, view.accounts - view.accountNames.length)}</p>`}`
}

function kindOf(visitor: Visitor, category: Category, entity: Entity): string {
  return visitor.texts.yours.kinds[category][entity]
}

/** Purpose in the words of the consent. */
function renderPurpose(visitor: Visitor, owner: OwnerVisit, { consent }: ActiveView): Html | null {
  const { why, contactLine, purpose } = visitor.texts.consent
  const lead = contactLine(why, '')
  const agreed = consent?.texts[visitor.locale].find((line) => line.startsWith(lead))?.slice(lead.length)
  return html`<div><dt>${visitor.texts.yours.why}</dt><dd>${agreed ?? purpose(owner.requester, owner.business)}</dd></div>`
}

function renderConsent(visitor: Visitor, consent: Consent): Html {
  return html`<details><summary>${visitor.texts.yours.agreedTo(writeDay(consent.givenAt, visitor))}</summary>
<ul>${consent.texts[visitor.locale].map((line) => html`<li>${line}</li>`)}</ul></details>`
}

function renderNext(visitor: Visitor, { connection, state, isFiles }: ActiveView): Html | string {
  const texts = visitor.texts.yours
  if (isFiles) return texts.onFiles
  const isRead = state === 'waiting' || state === 'reading' || state === 'ready' || state === 'retrying'
  return isRead && connection.nextReadAt ? instantElement(connection.nextReadAt, visitor) : texts.notPlanned
}

import { html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { OwnedConnection } from '../../store/owners/owner-connections.ts'
import { WITHDRAWN_DATA_DAYS } from '../../sync/owner/owner-actions.ts'
import type { Localization, OwnerVisit, Visitor } from '../visit/visitor.ts'
import { OWNER_PAGE_PATH, type OwnedName, ownerPagePath } from './owner-page.ts'
import { heading, type Page } from './page.ts'

/** Owner actions on a connection, each after a confirmation page. */
export const OWNER_ACTIONS = ['pause', 'continue', 'renew', 'withdraw', 'delete'] as const
export type OwnerAction = (typeof OWNER_ACTIONS)[number]

interface Question {
  title: string
  paragraphs: readonly string[]
  button: string
}

export function confirmPage(visitor: Visitor, owner: OwnerVisit, connection: OwnedConnection, named: OwnedName, action: OwnerAction): Page {
  const question = questionOf(visitor, owner, connection, named, action)
  return askPage(visitor, owner, question, ownerPagePath(action, connection), action === 'withdraw' || action === 'delete')
}

export function newAddressPage(visitor: Visitor, owner: OwnerVisit): Page {
  const { addressTitle, addressText } = visitor.texts.confirm
  const question = { title: addressTitle, paragraphs: [addressText], button: visitor.texts.yours.addressNew }
  return askPage(visitor, owner, question, `${OWNER_PAGE_PATH}/address`, false)
}

function askPage(visitor: Visitor, owner: OwnerVisit, question: Question, path: string, isGrave: boolean): Page {
  return {
    title: question.title,
    address: path,
    body: html`${heading(question.title)}
${question.paragraphs.map((text) => html`<p>${text}</p>`)}
<form method="post" action="${path}" class="actions">
<input type="hidden" name="form" value="${owner.formToken}">
<button${isGrave && html` class="grave"`}>${question.button}</button>
<a class="button quiet" href="${OWNER_PAGE_PATH}">${visitor.texts.confirm.cancel}</a>
</form>`,
  }
}

function questionOf(visitor: Visitor, owner: OwnerVisit, connection: OwnedConnection, named: OwnedName, action: OwnerAction): Question {
  const texts = visitor.texts.confirm
  const service = safeDisplayName(named.name)
  const telling = named.isFiles ? '' : ` ${texts.withdrawSource(service)}`
  const { requester } = owner
  const button = visitor.texts.yours[action]
  switch (action) {
    case 'pause':
      return { title: texts.pauseTitle(service), paragraphs: [texts.pauseText(requester), texts.pauseEnds(requester)], button }
    case 'continue':
      return { title: texts.continueTitle(service), paragraphs: [texts.continueText(requester)], button }
    case 'renew':
      return {
        title: texts.renewTitle(service),
        paragraphs: [named.isFiles ? texts.renewFiles : texts.renewText(service, safeDisplayName(connection.entityName))],
        button,
      }
    case 'withdraw':
      return {
        title: texts.withdrawTitle(service),
        paragraphs: [
          `${texts.withdrawText(requester)}${telling}`,
          texts.withdrawKept(WITHDRAWN_DATA_DAYS),
          texts.copies(requester),
          `${texts.forGood} ${texts.receipt}`,
        ],
        button,
      }
    case 'delete':
      return {
        title: texts.deleteTitle(service),
        paragraphs: [
          connection.endedAt ? texts.deleteEnded : `${texts.deleteText(requester)}${telling}`,
          texts.copies(requester),
          `${texts.forGood} ${texts.receipt}`,
        ],
        button,
      }
  }
}

/** Downloads of the data. */
export function downloadPage(visitor: Localization, connection: OwnedConnection, serviceName: string): Page {
  const texts = visitor.texts.confirm
  const title = texts.downloadTitle(safeDisplayName(serviceName))
  const file = (name: string, text: string) =>
    html`<li><a href="${OWNER_PAGE_PATH}/files/${name}?connection=${connection.id}" download>${text}</a></li>`
  return {
    title,
    address: ownerPagePath('download', connection),
    body: html`${heading(title)}
<p>${texts.downloadText}</p>
<ul>${file('data.json', texts.json)}${file('accounts.csv', texts.csvAccounts)}${file('transactions.csv', texts.csvTransactions)}</ul>
<p class="actions"><a class="button quiet" href="${OWNER_PAGE_PATH}">${visitor.texts.yours.back}</a></p>`,
  }
}

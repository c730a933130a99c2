import { type Html, html } from '../../model/texts/html.ts'
import { writeDay } from '../../model/values/dates.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { OpenHandOff } from '../../sync/links/hand-off.ts'
import { type Localization, pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { errorSummary, type FieldProblem, fieldErrorOf } from './field-problems.ts'
import { heading, type Page } from './page.ts'

export interface HandOffForm {
  onceId: string
  institutionId: string | null
  name: string
  email: string
  /** Whether mail is available. */
  canMail: boolean
}

/** Offers the hand-off to an owner who has no login at the source; nothing for a helper. */
export function handOffOffer(visitor: Localization, visit: Visit, institutionId: string | null = null): Html | null {
  if (visit.open.link.parentId !== null) return null
  const texts = visitor.texts.handOff
  const isUpload = visit.open.service.source.description.link === 'upload'
  const path = pathTo(visit, '/connect/hand-off', { institution: institutionId ?? undefined })
  return html`<p class="aside small">${isUpload ? texts.offerFiles : texts.offer} <a href="${path}">${isUpload ? texts.offerFilesLink : texts.offerLink}</a></p>`
}

/** Hand-off form: helper and channel. */
export function handOffPage(visitor: Visitor, visit: Visit, form: HandOffForm, problems: readonly FieldProblem[], status: number): Page {
  const texts = visitor.texts.handOff
  const path = pathTo(visit, '/connect/hand-off')
  return {
    title: texts.title,
    step: 'connect',
    address: pathTo(visit, '/connect/hand-off', { institution: form.institutionId ?? undefined }),
    status,
    body: html`${errorSummary(visitor, problems)}
${problems.length > 0 ? html`<h1>${texts.title}</h1>` : heading(texts.title)}
<p>${texts.lead(visit.source)}</p>
${form.canMail && renderMailForm(visitor, visit, form, problems)}
<section class="aside"><h2>${form.canMail ? texts.orCopy : texts.passOn}</h2>
<p>${texts.copyHint}</p>
<form method="post" action="${path}" class="actions">
${hiddenFields(visit, form)}
<button name="choice" value="copy" class="quiet">${texts.copy}</button>
<a class="button quiet" href="${ownLoginPath(visit, form.institutionId)}">${texts.self}</a>
</form></section>`,
  }
}

function renderMailForm(visitor: Visitor, visit: Visit, form: HandOffForm, problems: readonly FieldProblem[]): Html {
  const texts = visitor.texts.handOff
  return html`<form method="post" action="${pathTo(visit, '/connect/hand-off')}" novalidate>
${hiddenFields(visit, form)}
${field(visitor, problems, { name: 'name', label: texts.name, value: form.name, type: 'text', isOptional: true })}
${field(visitor, problems, { name: 'email', label: texts.email, hint: texts.emailHint, value: form.email, type: 'email' })}
<p class="actions"><button name="choice" value="send">${texts.send}</button></p>
</form>`
}

/** Shows the URL, only this once. */
export function handedAddressPage(visitor: Visitor, visit: Visit, address: string, expiresAt: Date): Page {
  const texts = visitor.texts.handOff
  const path = pathTo(visit, '/connect/hand-off')
  return {
    title: texts.copyTitle,
    step: 'connect',
    address: path,
    body: html`${heading(texts.copyTitle)}
<div class="field"><label for="field-address">${texts.copyLabel}</label>
<p class="hint" id="hint-address">${texts.copyNote(writeDay(expiresAt, visitor))}</p>
<textarea id="field-address" rows="5" readonly spellcheck="false" aria-describedby="hint-address">${address}</textarea></div>
<p class="actions"><a class="button" href="${path}">${texts.copied}</a></p>`,
  }
}

/** State of the hand-off, live; the owner may revoke it, or sign in after all. */
export function waitingPage(visitor: Visitor, visit: Visit, handOff: OpenHandOff): Page {
  const texts = visitor.texts.handOff
  const { helper, institutionId, expiresAt } = handOff
  const path = pathTo(visit, '/connect/hand-off')
  const name = safeDisplayName(helper.name === '' ? (helper.email ?? '') : helper.name)
  const title = texts.waitingTitle(name === '' ? texts.someone : name)
  const state = stateOf(handOff)
  const words = state === 'atSource' ? texts.states.atSource(visit.source) : texts.states[state]
  return {
    title,
    step: 'connect',
    address: path,
    isDated: true,
    script: 'waiting',
    body: html`${heading(title)}
<section id="waiting" aria-live="polite">
<p><span class="unseen">${texts.status} </span><span class="state ${state === 'declined' || state === 'undelivered' ? `bad ${state}` : `waiting ${state}`}">${words}</span></p>
</section>
<p>${texts.waitingLead}</p>
<p class="small">${texts.until(writeDay(expiresAt, visitor))} <a href="${path}" class="update">${texts.update}</a></p>
<form method="post" action="${pathTo(visit, '/connect/hand-off/cancel')}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<button name="next" value="again" class="quiet">${state === 'declined' || state === 'undelivered' ? texts.again : texts.cancel}</button>
<a class="button quiet" href="${ownLoginPath(visit, institutionId)}">${texts.self}</a>
</form>`,
  }
}

function stateOf({ helper, mailState, openedAt, declinedAt, isAtSource }: OpenHandOff) {
  if (declinedAt !== null) return 'declined'
  if (isAtSource) return 'atSource'
  if (openedAt !== null) return 'opened'
  if (helper.email === null) return 'unopened'
  if (mailState === 'refused' || mailState === 'failed') return 'undelivered'
  return mailState === 'waiting' ? 'posting' : 'posted'
}

/** Path of the step at the source, with the chosen bank. */
export function ownLoginPath(visit: Visit, institutionId: string | null): string {
  return pathTo(visit, '/connect/source', { institution: institutionId ?? undefined })
}

function hiddenFields(visit: Visit, { onceId, institutionId }: HandOffForm): Html {
  return html`<input type="hidden" name="form" value="${visit.formToken}">
<input type="hidden" name="once" value="${onceId}">
<input type="hidden" name="institution" value="${institutionId ?? ''}">`
}

function field(
  visitor: Visitor,
  problems: readonly FieldProblem[],
  {
    name,
    label,
    hint,
    value,
    type,
    isOptional,
  }: { name: string; label: string; hint?: string; value: string; type: string; isOptional?: true },
): Html {
  const error = fieldErrorOf(problems, name)
  const described = [hint && `hint-${name}`, error && `error-${name}`].filter(Boolean).join(' ')
  return html`<div class="${error ? 'field wrong' : 'field'}"><label for="field-${name}">${label}${isOptional && html` <span class="optional">${visitor.texts.layout.optional}</span>`}</label>
${hint && html`<p class="hint" id="hint-${name}">${hint}</p>`}${error}
<input id="field-${name}" name="${name}" type="${type}" value="${value}" maxlength="254" autocomplete="off"${!isOptional && html` required`}${described !== '' && html` aria-describedby="${described}"`}${error && html` aria-invalid="true"`}></div>
`
}

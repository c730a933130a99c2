import { html } from '../../model/texts/html.ts'
import type { FileNote } from '../../sync/authorize/file-notes.ts'
import { requesterLogo } from '../branding/branding.ts'
import { logoPath } from '../branding/logos.ts'
import { type Localization, pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { renderFileNotes } from './file-notes.ts'
import { heading, type Page } from './page.ts'

/** First page of a helper: who asks, and what to do. The consent is the owner's. */
export function helperPage(visitor: Localization, visit: Visit): Page {
  const texts = visitor.texts.helping
  const { company, requester, source, open } = visit
  const title = texts.title(company, source)
  const path = pathTo(visit, '/connect/helping')
  const { link, key } = open.service.source.description
  const part = link === 'upload' ? texts.partFiles : link === 'form' ? texts.partForm(source) : texts.part(source)
  return {
    title,
    address: path,
    body: html`<p class="pair">${requesterLogo(open, 56)}<span class="link" aria-hidden="true"></span><img src="${logoPath(key)}" alt="" width="56" height="56"></p>
${heading(title)}
<dl class="terms">
<div><dt>${texts.business}</dt><dd>${company}</dd></div>
<div><dt>${texts.requester}</dt><dd>${requester}</dd></div>
<div><dt>${texts.permission}</dt><dd>${texts.agreed(company)}</dd></div>
<div><dt>${texts.safe}</dt><dd>${part}</dd></div>
</dl>
<form method="post" action="${path}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<button name="choice" value="go">${texts.go}</button>
<button name="choice" value="cannot" class="quiet">${texts.cannot}</button>
</form>`,
  }
}

export function helperDeclinedPage(visitor: Localization, visit: Visit): Page {
  const texts = visitor.texts.helping
  return {
    title: texts.declinedTitle,
    address: pathTo(visit, '/connect/helping', { declined: 'yes' }),
    body: html`${heading(texts.declinedTitle)}
<p>${texts.declinedText(visit.company)}</p>
<p class="actions"><a class="button quiet" href="${pathTo(visit, '/connect/helping')}">${texts.anyway}</a></p>`,
  }
}

/** Only that it is done: accounts and figures are the owner's. */
export function helperDonePage(visitor: Visitor, visit: Visit, notes: readonly FileNote[]): Page {
  const texts = visitor.texts.helping
  return {
    title: texts.doneTitle,
    address: pathTo(visit, '/connect/done'),
    body: html`<p class="tick" aria-hidden="true"></p>
${heading(texts.doneTitle)}
<p>${texts.doneText(visit.company, visit.source)}</p>
${renderFileNotes(visitor, notes)}`,
  }
}

import { html } from '../../model/texts/html.ts'
import { pathTo, type Visitor } from '../visit/visitor.ts'
import { heading, type Page, resumePath } from './page.ts'

/** Accessibility statement, public. */
export function accessibilityPage(visitor: Visitor): Page {
  const texts = visitor.texts.accessibility
  const { visit } = visitor
  return {
    title: texts.title,
    address: pathTo(visit, '/connect/accessibility'),
    body: html`${heading(texts.title)}
<p>${texts.intro}</p>
<h2>${texts.promiseTitle}</h2>
<ul class="advice">${texts.promises.map((promise) => html`<li>${promise}</li>`)}</ul>
<h2>${texts.standardTitle}</h2>
<p>${texts.standard} ${texts.checked}</p>
<h2>${texts.limitsTitle}</h2>
<ul class="advice">${texts.limits.map((limit) => html`<li>${limit}</li>`)}</ul>
<h2>${texts.contactTitle}</h2>
<p>${visit ? texts.contact(visit.requester) : texts.contactSender}</p>
<p class="small">${texts.state}</p>
${visit?.used === 'no' && html`<p class="actions"><a class="button" href="${resumePath(visit)}">${texts.back}</a></p>`}`,
  }
}

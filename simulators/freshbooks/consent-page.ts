import { escapeXml } from '../kit/pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../kit/pages/page-frame.ts'
import { type PageLanguage, pageLanguage } from '../kit/pages/page-language.ts'
import { findBusiness, LOGINS, type Login } from './businesses.ts'

const TEXTS = {
  en: {
    title: 'Connect to FreshBooks (simulated)',
    sandbox: 'Sandbox: this page stands in for FreshBooks. No real business is connected.',
    signedInAs: 'Signed in as',
    switchTo: 'Use another sign-in:',
    heading: 'The app asks to read your FreshBooks data',
    businesses: 'It can read every business of this sign-in:',
    none: 'This sign-in belongs to no business.',
    scope:
      'It will see your profile, your chart of accounts, journal entries and reports. You can end this at any time under “Connected apps”.',
    connect: 'Authorize',
    cancel: 'Deny',
    refused: 'The requested authorization is invalid',
  },
  fr: {
    title: 'Connexion à FreshBooks (simulée)',
    sandbox: 'Bac à sable : cette page tient lieu de FreshBooks. Aucune vraie entreprise n’est connectée.',
    signedInAs: 'Session ouverte :',
    switchTo: 'Ouvrir une autre session :',
    heading: 'L’application demande à lire vos données FreshBooks',
    businesses: 'Elle pourra lire toutes les entreprises de ce compte :',
    none: 'Ce compte n’est lié à aucune entreprise.',
    scope:
      'L’application verra votre profil, votre plan comptable, vos écritures et vos rapports. Vous pouvez y mettre fin en tout temps sous « Applications connectées ».',
    connect: 'Autoriser',
    cancel: 'Refuser',
    refused: 'La demande d’autorisation n’est pas valide',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#12263a;background:#eef4fb}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #c3d2e2;border-radius:.75rem}
h1{font-size:1.4rem;line-height:1.25}
.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border-radius:.5rem;border:2px solid #0b5fa5;background:#fff;color:#084a82;cursor:pointer}
button.primary{background:#0b5fa5;color:#fff}
a{color:#084a82}
:focus-visible{outline:3px solid #b4531b;outline-offset:2px}
`

/** Sign-in and consent in one page, in the browser's language. The form is posted to the page's own address with `decision` (connect or cancel). */
export function consentPage(acceptLanguage: string | undefined, login: Login, query: URLSearchParams): string {
  const language = pageLanguage(acceptLanguage)
  const texts = TEXTS[language]
  const names = login.businessUuids.map((uuid) => `<li>${escapeXml(findBusiness(uuid)?.name ?? uuid)}</li>`)
  const others = loginLinks(
    LOGINS.filter(({ key }) => key !== login.key),
    query,
  )
  return page(
    language,
    `<p class="sandbox">${texts.sandbox}</p>
<h1>${texts.heading}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(login.person)}</strong> (${escapeXml(login.email)})</p>
${names.length > 0 ? `<p id="businesses">${texts.businesses}</p><ul aria-labelledby="businesses">${names.join('')}</ul>` : `<p>${texts.none}</p>`}
<p>${texts.scope}</p>
<form method="post">
<button class="primary" type="submit" name="decision" value="connect">${texts.connect}</button>
<button type="submit" name="decision" value="cancel">${texts.cancel}</button>
</form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${others}</ul>`,
  )
}

/** What FreshBooks shows instead when the app's request itself is wrong; the browser is sent nowhere. */
export function refusalPage(acceptLanguage: string | undefined, reason: string): string {
  const language = pageLanguage(acceptLanguage)
  return page(language, `<h1>${TEXTS[language].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function page(language: PageLanguage, content: string): string {
  return pageFrame(language, TEXTS[language].title, STYLE, content)
}

import { Button, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { type Page, withQuery } from '../../api/client.ts'
import type { Consent } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Instant, UserText, When } from '../../parts/display/user-text.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { consentTexts } from '../../texts/pages/owner-pages.ts'

/** Consents, newest first. `path` is that of a company or of its connection to one service. */
export function Consents({ path }: { path: string }) {
  const texts = useTexts(consentTexts)
  const words = useTexts(common)
  const [shown, setShown] = useState<Consent | null>(null)
  const [pageNumber, turn] = usePageNumber('consents')
  const query = { PageSize: 25, PageNumber: pageNumber, OrderBy: 'givenOn', Desc: true }
  const consents = useRead<Page<Consent>>(withQuery(`${path}/consents`, query), { everyMs: 10_000, keep: true })
  return (
    <Answer read={consents}>
      {(page) => (
        <>
          <ConsentGrid consents={page.data} onShow={setShown} />
          <Pager page={page} onTurn={turn} />
          <Modal
            opened={shown !== null}
            onClose={() => setShown(null)}
            title={texts.wordsTitle}
            size="lg"
            closeButtonProps={{ 'aria-label': words.close }}
          >
            {shown && <ConsentTexts consent={shown} />}
          </Modal>
        </>
      )}
    </Answer>
  )
}

function ConsentGrid({ consents, onShow }: { consents: Consent[]; onShow(consent: Consent): void }) {
  const texts = useTexts(consentTexts)
  const formats = useFormats()
  return (
    <Grid
      label={texts.title}
      rows={consents}
      keyOf={({ id }) => id}
      empty={{ title: texts.noneTitle, hint: texts.noneHint }}
      columns={[
        { name: texts.given, cell: ({ givenOn }) => <Instant at={givenOn} /> },
        {
          name: texts.purpose,
          cell: ({ purpose, purposeVersion }) => (
            <>
              <UserText>{purpose}</UserText>{' '}
              <Text component="span" size="sm" c="dimmed">
                {texts.version(purposeVersion)}
              </Text>
            </>
          ),
        },
        { name: texts.language, cell: ({ language }) => texts.languages[language] },
        { name: texts.until, cell: ({ expiresOn }) => <Instant at={expiresOn} /> },
        { name: texts.state, cell: (consent) => <State consent={consent} /> },
        {
          name: texts.words,
          cell: (consent) => (
            <Button size="xs" variant="default" aria-label={texts.showOf(formats.instant(consent.givenOn))} onClick={() => onShow(consent)}>
              {texts.show}
            </Button>
          ),
        },
      ]}
    />
  )
}

function State({ consent: { endedOn, endedHow, sessionId } }: { consent: Consent }) {
  const texts = useTexts(consentTexts)
  if (endedHow === null) return <span>{sessionId === null ? texts.waiting : texts.inForce}</span>
  return (
    <>
      {texts.ends[endedHow]} <When at={endedOn} />
    </>
  )
}

/** Texts of a consent, first in the language in which it was read. */
function ConsentTexts({ consent }: { consent: Consent }) {
  const texts = useTexts(consentTexts)
  const order = consent.language === 'en' ? (['en', 'fr'] as const) : (['fr', 'en'] as const)
  return order.map((language) => (
    <section key={language} lang={language} className="section">
      <Text fw={600}>{texts.languages[language]}</Text>
      <ul className="consent-words">
        {consent.texts[language].map((line) => (
          <li key={line}>
            <UserText most={1_000}>{line}</UserText>
          </li>
        ))}
      </ul>
    </section>
  ))
}

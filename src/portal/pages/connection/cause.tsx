import { Button, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ConnectionDetail, FaultCode } from '../../api/generated/types.ts'
import { useRights } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { useServiceName, useTexts } from '../../texts/language/language.tsx'
import { faultTexts, PARTIES } from '../../texts/messages/faults.ts'
import { healthOf, responsibleParty } from '../../texts/messages/statuses.ts'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { mailTexts } from '../../texts/pages/mail.ts'
import { MadeLink, useLink } from '../links/link-maker.tsx'
import { OwnerMessage } from '../links/owner-message.tsx'
import { SendLink } from '../mail/send-link.tsx'
import type { ConnectionKey } from './paths.ts'

interface CauseProps {
  connectionKey: ConnectionKey
  connection: Pick<ConnectionDetail, 'statusCode' | 'fault' | 'faultCode' | 'trouble' | 'serviceName'>
  companyName: string
  isStale: boolean
}

/** Fault or delay of a connection: the cause, who can fix it, and a button for the repair link. */
export function Cause({ connectionKey, connection, companyName, isStale }: CauseProps) {
  const texts = useTexts(connectionTexts)
  const { statusCode, fault, faultCode, trouble } = connection
  const health = healthOf(statusCode)
  if (health === 'bad') {
    return (
      <Box title={texts.cause} code={faultCode} words={fault} fallback={responsibleParty(connection)}>
        {responsibleParty(connection) === 'owner' && (
          <Repair connectionKey={connectionKey} serviceName={connection.serviceName} companyName={companyName} />
        )}
      </Box>
    )
  }
  if (fault !== null && faultCode === 'deletionsHeldBack')
    return <Box title={texts.heldBackTitle} code={faultCode} words={fault} fallback={null} isWaiting />
  if (trouble && health !== 'idle') {
    return (
      <Box title={texts.waitingTitle} code={trouble.code} words={trouble.message} fallback="developer" isWaiting>
        <Text size="sm">
          {texts.failedOn} <When at={trouble.on} /> · {texts.nextTry} <When at={trouble.nextAttemptOn} />
        </Text>
      </Box>
    )
  }
  return isStale && health === 'good' ? <Text c="dimmed">{texts.stale}</Text> : null
}

interface BoxProps {
  title: string
  code: FaultCode | null
  /** Technical detail, as in the log. */
  words: string | null
  fallback: 'owner' | 'developer' | null
  isWaiting?: boolean
  children?: ReactNode
}

function Box({ title, code, words, fallback, isWaiting = false, children }: BoxProps) {
  const texts = useTexts(connectionTexts)
  const { messages, parties } = useTexts(faultTexts)
  const { cause, next } =
    code === null ? { cause: null, next: fallback === 'owner' ? texts.causeOwner : texts.causeDeveloper } : messages[code]
  return (
    <section className={isWaiting ? 'cause cause-waiting' : 'cause'} aria-label={title} data-code={code ?? undefined}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {cause && <Text fw={600}>{cause}</Text>}
      {code && <Text size="sm">{parties[PARTIES[code]]}.</Text>}
      <Text size="sm" mb="xs">
        <strong>{texts.next}</strong> · {next}
      </Text>
      {words && (
        <Text size="sm" c="dimmed" mb="sm">
          {texts.detail} ·{' '}
          <span lang="en">
            <UserText most={600}>{words}</UserText>
          </span>
        </Text>
      )}
      {children}
    </section>
  )
}

function Repair({ connectionKey, serviceName, companyName }: { connectionKey: ConnectionKey; serviceName: string; companyName: string }) {
  const texts = useTexts(connectionTexts)
  const nameOf = useServiceName()
  const { mayOperate } = useRights()
  const mails = useTexts(mailTexts)
  const link = useLink(connectionKey.companyId, connectionKey.serviceId)
  if (!mayOperate) return null
  return (
    <>
      <Button size="xs" onClick={() => link.mutate()} loading={link.isPending}>
        {texts.repair}
      </Button>
      {link.error && <ProblemBox problem={link.error} />}
      {link.data && (
        <>
          <MadeLink address={link.data.link} />
          <OwnerMessage company={companyName} service={nameOf(serviceName)} link={link.data.link} />
        </>
      )}
      <details className="send-link">
        <summary>{mails.send}</summary>
        <SendLink companyId={connectionKey.companyId} serviceId={connectionKey.serviceId} />
      </details>
    </>
  )
}

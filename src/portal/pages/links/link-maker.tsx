import { Button, Group, Modal, NativeSelect, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, withQuery } from '../../api/client.ts'
import type { GetConnectionLinkResponse, Service, Whoami } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { useRead, useWhole } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { Qr } from '../../parts/display/qr.tsx'
import { useServiceName, useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { companyTexts } from '../../texts/pages/companies.ts'
import { mailTexts } from '../../texts/pages/mail.ts'
import { SendLink } from '../mail/send-link.tsx'
import { DEFAULT_OPTIONS, type LinkChoice, LinkOptions } from './link-options.tsx'

interface LinkMakerProps {
  companyId: string
  isOpen: boolean
  onClose(): void
}

/** Dialog that makes a link for the owner. */
export function LinkMaker({ companyId, isOpen, onClose }: LinkMakerProps) {
  const texts = useTexts(companyTexts)
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.linkTitle}>
      <Text size="sm" mb="md">
        {texts.linkLead}
      </Text>
      <ServiceChoice companyId={companyId} />
    </Modal>
  )
}

function ServiceChoice({ companyId }: { companyId: string }) {
  const texts = useTexts(companyTexts)
  const services = useWhole<Service>('/normalized-data/services', { OrderBy: 'name', FilterQuery: 'parentId=null&&isEnabled=true' })
  return (
    <Answer read={services} lines={2}>
      {({ data }) => <Chosen companyId={companyId} services={data} label={texts.choose} />}
    </Answer>
  )
}

function Chosen({ companyId, services, label }: { companyId: string; services: readonly Service[]; label: string }) {
  const texts = useTexts(companyTexts)
  const nameOf = useServiceName()
  const [serviceId, setServiceId] = useState(services[0]?.id ?? '')
  const [choice, setChoice] = useState(DEFAULT_OPTIONS)
  const mails = useTexts(mailTexts)
  const link = useLink(companyId, serviceId, choice)
  return (
    <>
      <NativeSelect
        label={label}
        value={serviceId}
        onChange={(event) => {
          setServiceId(event.currentTarget.value)
          link.reset()
        }}
        data={services.map(({ id, name, parentName, title }) => ({ value: id, label: parentName === null ? nameOf(name) : title }))}
        data-autofocus
        mb="sm"
      />
      <LinkOptions
        choice={choice}
        onChange={(wanted) => {
          setChoice(wanted)
          link.reset()
        }}
      />
      <Button onClick={() => link.mutate()} loading={link.isPending}>
        {link.data ? texts.another : texts.make}
      </Button>
      {link.error && <ProblemBox problem={link.error} />}
      {link.data && <MadeLink address={link.data.link} />}
      <details className="send-link">
        <summary>{mails.send}</summary>
        <SendLink key={serviceId} companyId={companyId} serviceId={serviceId} choice={{ ...choice }} />
      </details>
    </>
  )
}

/** Creates a link. NOTE every call creates another one, so it is not a query, which may be repeated. */
export function useLink(companyId: string, serviceId: string, choice?: LinkChoice) {
  return useMutation<GetConnectionLinkResponse, Problem>({
    mutationFn: () =>
      call<GetConnectionLinkResponse>(withQuery(`/normalized-data/company/${companyId}/data-connection/${serviceId}/link`, { ...choice })),
  })
}

export function MadeLink({ address }: { address: string }) {
  const texts = useTexts(companyTexts)
  const words = useTexts(common)
  const me = useRead<Whoami>('/auth/me')
  const mail = `mailto:?subject=${encodeURIComponent(texts.mailSubject(me.data?.instanceName ?? ''))}&body=${encodeURIComponent(address)}`
  return (
    <div className="made-link">
      <Copyable text={address} />
      <Group align="flex-start" mt="sm">
        <Qr text={address} label={words.qr} />
        <Button component="a" href={mail} size="xs" variant="default">
          {texts.mail}
        </Button>
        <Button component="a" href={address} target="_blank" rel="noreferrer" size="xs" variant="default">
          {texts.open}
        </Button>
      </Group>
    </div>
  )
}

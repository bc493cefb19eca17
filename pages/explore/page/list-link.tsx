import type { ComponentChildren } from 'preact';
import { clear, getQuery, usePlace, ViewLink } from '../../parts/address';
import type { ViewChange } from '../answers';

interface ListLinkProps {
  readonly to: ViewChange;
  readonly children: ComponentChildren;
}

/** Renders a link to the instances behind a number or a sentence. With an earlier filter, the list would lack some of them. */
export function ListLink({ to, children }: ListLinkProps) {
  const { address } = usePlace();
  return <ViewLink to={{ ...clear(getQuery(address)), from: '', ...to }}>{children}</ViewLink>;
}

import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from "react";
import { BASE } from "../app/base.ts";
import { navigate } from "../app/location.ts";
import { buttonClasses } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** A path of the dashboard. */
  readonly to: string;
  readonly children: ReactNode;
}

/** Navigates within the dashboard without reloading the page. */
export function Link({ to, children, onClick, ...rest }: LinkProps) {
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || isForBrowser(event)) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={BASE + to} onClick={go}>
      {children}
    </a>
  );
}

export function TextLink(props: LinkProps) {
  return <Link {...props} className="text-accent underline-offset-2 hover:underline" />;
}

export function ButtonLink({
  look,
  icon,
  children,
  ...rest
}: Omit<LinkProps, "className"> & { look?: "primary" | "plain" | "quiet"; icon?: IconName }) {
  return (
    <Link {...rest} className={buttonClasses(look)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

/** Whether the click asks the browser for a new tab or window. */
function isForBrowser(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

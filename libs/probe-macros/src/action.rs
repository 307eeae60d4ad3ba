//! Wraps a function so that it is offered before it runs.

use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, FnArg, Ident, ItemFn, LitStr, Pat, ReceiverKind, ReturnType, Token, Type, parenthesized};

/// The content of the attribute.
struct Options {
    name: LitStr,
    args: Vec<Expr>,
    message: Option<Expr>,
    dropped: Option<Expr>,
    report: Option<Expr>,
    probe: Option<Expr>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Options> {
        let name = input.parse()?;
        let mut options =
            Options { name, args: Vec::new(), message: None, dropped: None, report: None, probe: None };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            options.parse_one(input)?;
        }
        if let (None, Some(dropped)) = (&options.message, &options.dropped) {
            return Err(syn::Error::new(dropped.span(), "only an action with a `message =` can be dropped"));
        }
        Ok(options)
    }
}

impl Options {
    fn parse_one(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let key: Ident = input.parse()?;
        if key == "args" {
            let list;
            parenthesized!(list in input);
            self.args = Punctuated::<Expr, Token![,]>::parse_terminated(&list)?.into_iter().collect();
            return Ok(());
        }
        input.parse::<Token![=]>()?;
        let value = Some(input.parse()?);
        match key.to_string().as_str() {
            "message" => self.message = value,
            "dropped" => self.dropped = value,
            "report" => self.report = value,
            "probe" => self.probe = value,
            _ => {
                let known = "an action takes `args(…)`, `message =`, `dropped =`, `report =` and `probe =`";
                return Err(syn::Error::new(key.span(), known));
            }
        }
        Ok(())
    }
}

/// Wraps the body of the function. Wrong options are errors whether or not the feature is on.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let options: Options = syn::parse2(attribute)?;
    let function: ItemFn = syn::parse2(item)?;
    if cfg!(feature = "controlled") { Ok(wrap(&options, &function)) } else { Ok(quote!(#function)) }
}

fn wrap(options: &Options, function: &ItemFn) -> TokenStream {
    let ItemFn { attrs, vis, sig, block, .. } = function;
    let report = report(options, function);
    let offer = offer(options, &report);
    let run = run(function);
    let dropped = match &options.dropped {
        Some(value) => quote!(#value),
        None => quote!(::core::default::Default::default()),
    };
    let body = if let Some(message) = &options.message {
        let next = if sig.asyncness.is_some() {
            quote!(kilter_times.next_async().await)
        } else {
            quote!(kilter_times.next())
        };
        let clones = clones(function);
        quote! {
            let mut kilter_times = #offer.taking(&(#message));
            let mut kilter_result = ::core::option::Option::None;
            while let ::core::option::Option::Some(kilter_step) = #next {
                kilter_result = ::core::option::Option::Some({ #clones #run });
                kilter_step.end(&#report);
            }
            match kilter_result {
                ::core::option::Option::Some(result) => result,
                ::core::option::Option::None => #dropped,
            }
        }
    } else {
        let begin = if sig.asyncness.is_some() { quote!(begin_async().await) } else { quote!(begin()) };
        quote! {
            let kilter_step = #offer.#begin;
            let kilter_result = #run;
            kilter_step.end(&#report);
            kilter_result
        }
    };
    let whole = quote_spanned!(block.span()=> { #body });
    // The body consumes clones of its parameters, so the lint does not apply.
    quote!(#(#attrs)* #[allow(clippy::needless_pass_by_value)] #vis #sig #whole)
}

/// The expression that holds the variables.
fn report(options: &Options, function: &ItemFn) -> TokenStream {
    match (&options.report, function.sig.receiver()) {
        (Some(expr), _) => quote!((#expr)),
        (None, Some(receiver)) if matches!(receiver.kind, ReceiverKind::Reference(..)) => quote!(*self),
        _ => quote!(()),
    }
}

/// The expression that describes the action.
fn offer(options: &Options, report: &TokenStream) -> TokenStream {
    let Options { name, args, probe, .. } = options;
    let probe = match probe {
        Some(expr) => quote!((#expr)),
        None => quote!(::kilter_probe::Probe::global()),
    };
    quote!(#probe.action(#name) #(.arg(&(#args)))* .holding(&#report))
}

/// Runs the body so that `return` and `?` leave only the body.
fn run(function: &ItemFn) -> TokenStream {
    let block = &function.block;
    let typed = typed(&function.sig.output);
    if function.sig.asyncness.is_some() {
        quote!(async { #typed #block }.await)
    } else {
        quote! {{
            #[allow(clippy::redundant_closure_call)]
            let result = (|| { #typed #block })();
            result
        }}
    }
}

/// Tells the compiler the type of the body, for `?` and `into()`, by a `return` that is never reached.
fn typed(output: &ReturnType) -> TokenStream {
    let ty = match output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => {
            // Types with `impl` and `!` can't be written here. The body has to do without.
            if mentions_impl(quote!(#ty)) || matches!(**ty, Type::Never(_)) {
                return TokenStream::new();
            }
            quote!(#ty)
        }
    };
    quote! {
        #[allow(unreachable_code, clippy::all, clippy::pedantic)]
        if false {
            let never: #ty = loop {};
            return never;
        }
    }
}

/// Whether `impl` occurs anywhere in a type.
fn mentions_impl(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "impl",
        TokenTree::Group(group) => mentions_impl(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Clones the parameters that the body may consume, because it may run again.
fn clones(function: &ItemFn) -> TokenStream {
    let by_value = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) if !matches!(*typed.ty, Type::Reference(_)) => Some(&*typed.pat),
        _ => None,
    });
    let names = by_value.filter_map(|pattern| match pattern {
        Pat::Ident(name) => Some((&name.ident, name.mutability)),
        _ => None,
    });
    names
        .map(|(name, mutability)| quote!(let #mutability #name = ::core::clone::Clone::clone(&#name);))
        .collect()
}

package dev.kilter;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method is an action: the thread offers it at the entry, and goes on when it is told to. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Action {
    String value();

    /** Expressions of README.md; all parameters if this is left out. */
    String[] args() default {};

    /** `name=expression` for each field of the message that the action takes in. */
    String[] message() default {};
}
